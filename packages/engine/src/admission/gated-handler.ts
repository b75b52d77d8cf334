import type { BreakerOutcome } from "@fleet-reloader/domain/cluster/breaker";
import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import type { ClusterId, Result } from "../ports/request.ts";
import type { Handler } from "../ports/workqueue.ts";
import type { ClusterGate } from "./cluster-gate.ts";

/**
 * A handler that sees only what the gate of its cluster lets through; the rest goes back to the queue. What is asked of a cluster that
 * nobody remembers ends: whoever watches it again compares everything anew, and asks for it then.
 */
export function gatedHandler(
  handler: Handler,
  gate: Pick<ClusterGate, "enter">,
  isForgotten: (cluster: ClusterId) => Promise<boolean>,
): Handler {
  return async (request, delivery) => {
    const admission = await gate.enter(request.cluster, delivery.signal);
    if (admission.type === "parked") {
      const { afterMs, reason } = admission;
      if (reason === "ClusterUnknown" && (await isForgotten(request.cluster)))
        return { type: "done", outcome: "gone" };
      // Whose turn comes in a moment is work; who waits for a cluster keeps no worker up.
      const hold = reason === "ClusterBusy" ? {} : { hold: { reason } };
      return { type: "again", afterMs, reason, ...hold };
    }
    try {
      const result = await handler(request, delivery);
      admission.leave(ofResult(result));
      return result;
    } catch (error) {
      admission.leave(ofFault(asFault(error)));
      throw error;
    }
  };
}

/** What is ignored may have been so before anything was asked. */
function ofResult(result: Result): BreakerOutcome {
  if (result.type === "done") return result.outcome === "ignored" ? "neutral" : "answered";
  return result.reason === "ClusterUnknown" ? "neutral" : "answered";
}

/** What an API server refuses it has answered. What Redis or we do says nothing of it. */
function ofFault(fault: Fault): BreakerOutcome {
  switch (fault.code) {
    case "kube.unreachable":
    case "kube.replaced":
    case "kube.timeout":
    case "kube.server-error":
    case "kube.malformed":
      return "failed";
    default:
      return fault.code.startsWith("kube.") ? "answered" : "neutral";
  }
}
