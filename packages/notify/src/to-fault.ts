import { Fault } from "@fleet-reloader/domain/fault";

/** Maximum pause before the next attempt, even if the receiver asks for a longer one. */
const postRetryMaxMs = 60_000;

/**
 * The fault of an answer that is no success. The address is a secret (its owner may write there), so no message contains any part of it. Nor
 * does a message contain the answer, since that may quote the address.
 */
export function answerFault(status: number, retryAfter: unknown): Fault {
  if (status >= 300 && status < 400)
    return new Fault("notify.rejected", `the receiver redirects (${status}), which is not followed`);
  if (status === 408 || status === 429 || status >= 500) {
    const seconds = Number(retryAfter);
    const isGiven = Number.isFinite(seconds) && seconds > 0;
    const wait = isGiven ? { retryAfterMs: Math.min(seconds * 1000, postRetryMaxMs) } : {};
    return new Fault("notify.unavailable", `the receiver answered ${status}`, wait);
  }
  return new Fault("notify.rejected", `the receiver answered ${status}`);
}

/** The fault of an error in the HTTP layer. It has only the error's code: messages name hosts, and causes hold whole requests. */
export function postFault(error: unknown, signal: AbortSignal): Fault {
  if (error instanceof Fault) return error;
  if (signal.aborted) return new Fault("engine.aborted", "stopped while a receiver had not answered");
  return new Fault(
    "notify.unavailable",
    `the receiver cannot be reached or does not answer (${postErrorCode(error)})`,
  );
}

function postErrorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return postErrorCode(error.errors[0]);
  if (typeof error !== "object" || error === null) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  if ("cause" in error && error.cause !== undefined) return postErrorCode(error.cause);
  return "name" in error && typeof error.name === "string" ? error.name : "unknown";
}
