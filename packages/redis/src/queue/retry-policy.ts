import type { Fault } from "@fleet-reloader/domain/fault";
import type { Random } from "@fleet-reloader/engine/async/clock";

const transientFirstMs = 1000;
const transientMaxMs = 5 * 60_000;
/** Usually a status update of a running rollout came in between: the next read is cheap and mostly wins. */
const conflictFirstMs = 100;
/** Several writers that collide repeatedly have to spread out, but a person still waits for the roll. */
const conflictMaxMs = 3000;

/** People change rights by hand; a new change of the source retries at once. */
const rightDeniedMs = 30_000;
/** After this the gate of the cluster holds the request until a probe of the cluster succeeds. */
const clusterPauseMs = 3000;

/** Back-off of a counted attempt, in milliseconds: exponential with full jitter, bounded. */
export function redeliverAfter(fault: Fault, attemptsMade: number, random: Random): number {
  const [firstMs, maxMs] =
    fault.class === "conflict" ? [conflictFirstMs, conflictMaxMs] : [transientFirstMs, transientMaxMs];
  const limit = Math.min(firstMs * 2 ** Math.max(0, attemptsMade - 1), maxMs);
  return Math.max(1, fault.retryAfterMs ?? 0, Math.ceil(limit * random()));
}

/** A wait that uses up no attempt, in milliseconds. */
export function pauseAfter(fault: Fault, random: Random): number {
  const jitter = 0.5 + random();
  switch (fault.class) {
    case "throttled":
      return Math.ceil(fault.retryAfterMs ?? 1000 * jitter);
    case "denied":
      // A cluster that rejects our credentials rejects all our requests.
      return Math.ceil((fault.code === "kube.unauthorized" ? clusterPauseMs : rightDeniedMs) * jitter);
    case "unreachable":
      return Math.ceil(clusterPauseMs * jitter);
    default:
      return Math.ceil(200 * jitter);
  }
}
