import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";

/** The part of a Kubernetes `Status` body that explains a refusal. */
export interface StatusBody {
  readonly message: string;
  readonly reason: string;
}

/** Where the fault happened: names only. */
export interface CallContext {
  readonly server: string;
  readonly method: string;
  readonly path: string;
}

/** Codes that mean that nothing was sent: the write was certainly not made. */
const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "EPROTO",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** We do not trust the signer of the server's certificate. Node's own message ends with advice about Node. */
const untrustedCodes = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

/** Nothing was sent when a connection attempt fails with these. An open connection fails with the same codes when packets are lost. */
const unreachableAtFirst = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

const statusCodes: Readonly<Record<number, FaultCode>> = {
  401: "kube.unauthorized",
  403: "kube.forbidden",
  // A load balancer sends this when the API server did not answer it in time.
  408: "kube.timeout",
  409: "kube.conflict",
  410: "kube.expired",
  429: "kube.throttled",
};

/** Translates an unsuccessful HTTP answer. 404 is not translated: callers treat absence as a value. */
export function statusFault(
  status: number,
  body: StatusBody,
  context: CallContext,
  retryAfterMs: number | undefined,
): Fault {
  const isThere = status === 409 && body.reason === "AlreadyExists";
  const code =
    (isThere ? "kube.exists" : statusCodes[status]) ??
    (status >= 500 ? "kube.server-error" : "kube.rejected");
  const said = body.message === "" ? `answered ${status}` : `answered ${status}: ${body.message}`;
  return new Fault(code, `${context.method} ${context.path} at ${context.server} ${said}`, {
    context: { ...context, status },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Translates an error of the HTTP layer. */
export function transportFault(error: unknown, context: CallContext, signal: AbortSignal): Fault {
  if (error instanceof Fault) return error;
  if (signal.aborted)
    return new Fault("engine.aborted", "stopped while talking to the API server", {
      context: { ...context },
    });
  const { method, path, server } = context;
  const reason = unreachableReason(error);
  return reason === undefined
    ? new Fault("kube.timeout", `${method} ${path} at ${server} broke off: ${errorMessageOf(error)}`, {
        context: { ...context },
        cause: error,
      })
    : new Fault("kube.unreachable", `cannot reach ${server}: ${reason}`, {
        context: { ...context },
        cause: error,
      });
}

/** Why nothing was sent; undefined when the request may have arrived. */
function unreachableReason(error: unknown): string | undefined {
  const code = errorCode(error);
  if (untrustedCodes.has(code))
    return `its certificate is not one of the kubeconfig's certificate-authority (${code})`;
  const isOfConnecting = unreachableAtFirst.has(code) && isOfConnect(codedError(error));
  return isOfConnecting || unreachableCodes.has(code) ? errorMessageOf(error) : undefined;
}

function errorMessageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : errorCode(error);
}

/** Whether the body was silent for longer than allowed. */
export function isSilence(error: unknown): boolean {
  return errorCode(error) === "UND_ERR_BODY_TIMEOUT";
}

function errorCode(error: unknown): string {
  const coded = codedError(error);
  return coded === undefined ? "unknown" : coded.code;
}

function isOfConnect(error: object | undefined): boolean {
  return error !== undefined && "syscall" in error && error.syscall === "connect";
}

/** The error that has a code: the first of several, or the cause of the thrown one. */
function codedError(error: unknown): { readonly code: string } | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codedError(error.errors[0]);
  if (typeof error !== "object" || error === null) return undefined;
  if (hasCode(error)) return error;
  return "cause" in error ? codedError(error.cause) : undefined;
}

function hasCode(error: object): error is { readonly code: string } {
  return "code" in error && typeof error.code === "string";
}
