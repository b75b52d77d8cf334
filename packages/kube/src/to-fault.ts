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

const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "EPROTO",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

const statusCodes: Readonly<Record<number, FaultCode>> = {
  401: "kube.unauthorized",
  403: "kube.forbidden",
  // Not the API server's: a load balancer's word for no answer in time.
  408: "kube.timeout",
  409: "kube.conflict",
  410: "kube.expired",
  429: "kube.throttled",
};

/** An HTTP answer that is no success, as a fault. 404 is not translated: callers treat absence as a value. */
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

/** An error thrown by the HTTP layer, as a fault. */
export function transportFault(error: unknown, context: CallContext, signal: AbortSignal): Fault {
  if (error instanceof Fault) return error;
  if (signal.aborted)
    return new Fault("engine.aborted", "stopped while talking to the API server", {
      context: { ...context },
    });
  const code = errorCode(error);
  const text = error instanceof Error && error.message !== "" ? error.message : code;
  if (unreachableCodes.has(code)) {
    return new Fault("kube.unreachable", `cannot reach ${context.server}: ${text}`, {
      context: { ...context },
      cause: error,
    });
  }
  return new Fault(
    "kube.timeout",
    `${context.method} ${context.path} at ${context.server} broke off: ${text}`,
    {
      context: { ...context },
      cause: error,
    },
  );
}

/** No byte for as long as the body may be silent. */
export function isSilence(error: unknown): boolean {
  return errorCode(error) === "UND_ERR_BODY_TIMEOUT";
}

function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("cause" in error) return errorCode(error.cause);
  return "unknown";
}
