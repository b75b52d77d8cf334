import { Fault } from "@fleet-reloader/domain/fault";
import { issuerUnavailable } from "./issuer-fetch.ts";

const again = "sign in again";

/** The fault of an error during discovery. */
export function discoveryFault(error: unknown): Fault {
  const known = faultIn(error);
  if (known !== undefined) return known;
  const mend = "check that --oidc-issuer-url is the issuer as it calls itself, without /.well-known";
  return issuerUnavailable(`its metadata cannot be used (${issuerReasonOf(error)})`, mend);
}

/** The fault of an error while a code is redeemed. It quotes neither the code nor a token. */
export function redemptionFault(
  error: unknown,
  library: Pick<
    typeof import("./openid-library.ts")["openidLibrary"],
    "AuthorizationResponseError" | "ClientError" | "ResponseBodyError"
  >,
): Fault {
  const known = faultIn(error);
  if (known !== undefined) return known;
  if (error instanceof library.AuthorizationResponseError)
    return notSignedIn(`the issuer has refused the sign-in (${error.error})`, again);
  if (error instanceof library.ResponseBodyError) {
    if (error.error === "invalid_grant")
      return notSignedIn("the issuer does not take the code: it was used before, or is too old", again);
    const mend = "check --oidc-client-id, --oidc-client-secret-file and the redirect URL at the issuer";
    return issuerUnavailable(`it refuses us (${error.error})`, mend);
  }
  if (error instanceof library.ClientError && error.code === "OAUTH_TIMEOUT")
    return issuerUnavailable("it does not answer in time", again);
  return notSignedIn(
    `the answer of the issuer cannot be trusted (${issuerReasonOf(error)})`,
    `${again}; if it stays so, compare the clocks and --oidc-client-id`,
  );
}

/** The library wraps our faults in its errors. */
function faultIn(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : undefined;
}

/** The library's message; it names claims and parameters. */
function issuerReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function notSignedIn(problem: string, mend: string): Fault {
  return new Fault("access.unauthenticated", `${problem}; ${mend}`, { context: { mend } });
}
