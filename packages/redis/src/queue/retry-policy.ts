import type { Fault } from "@fleet-reloader/domain/fault";
import type { Random } from "@fleet-reloader/engine/async/clock";

const transientFirstMs = 1000;
const transientMaxMs = 5 * 60_000;
/** A status update of a running rollout got in between: the next read is cheap and usually wins. */
const conflictFirstMs = 100;
/** Where several writers meet again and again they have to get out of each other's way; a person still waits for the roll. */
const conflictMaxMs = 3000;

/** Rights change by hand; a new change of the source asks again at once. */
const rightDeniedMs = 30_000;
/** The gate of the cluster holds the request afterwards, until a probe of the cluster is accepted. */
const clusterPauseMs = 3000;

/** Back-off of a counted attempt, in milliseconds: exponential with full jitter, bounded. */
export function redeliverAfter(fault: Fault, attemptsMade: number, random: Random): number {
  const [firstMs, maxMs] =
    fault.class === "conflict" ? [conflictFirstMs, conflictMaxMs] : [transientFirstMs, transientMaxMs];
  const limit = Math.min(firstMs * 2 ** Math.max(0, attemptsMade - 1), maxMs);
  return Math.max(1, fault.retryAfterMs ?? 0, Math.ceil(limit * random()));
}

/** Wait that uses up no attempt, in milliseconds. */
export function pauseAfter(fault: Fault, random: Random): number {
  const jitter = 0.5 + random();
  switch (fault.class) {
    case "throttled":
      return Math.ceil(fault.retryAfterMs ?? 1000 * jitter);
    case "denied":
      // A cluster that does not accept our credentials accepts none of our requests.
      return Math.ceil((fault.code === "kube.unauthorized" ? clusterPauseMs : rightDeniedMs) * jitter);
    case "unreachable":
      return Math.ceil(clusterPauseMs * jitter);
    default:
      return Math.ceil(200 * jitter);
  }
}
