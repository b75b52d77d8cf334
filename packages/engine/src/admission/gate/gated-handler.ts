import type { BreakerOutcome } from "@fleet-reloader/domain/cluster/breaker";
import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { againWhenFree, type ClusterId, type Result } from "../../ports/request.ts";
import type { Handler } from "../../ports/workqueue.ts";
import type { ClusterGate } from "./cluster-gate.ts";

/**
 * Handles a request only when the gate of its cluster admits it. A request of a forgotten cluster ends: the next watcher of the cluster
 * compares everything again, and requests it then.
 */
export function gatedHandler(
  handler: Handler,
  gate: Pick<ClusterGate, "admit">,
  isForgotten: (cluster: ClusterId) => Promise<boolean>,
): Handler {
  return async (request, delivery) => {
    const verdict = await gate.admit(request.cluster, delivery.signal);
    if (verdict.type === "hold") {
      const { afterMs, reason } = verdict;
      if (reason === "ClusterUnknown" && (await isForgotten(request.cluster)))
        return { type: "done", outcome: "gone" };
      // A slot becomes free in a moment, so a worker has to stay up. It does not stay up for a cluster that is away or fails.
      return reason === "ClusterBusy" ? { type: "again", afterMs, reason } : againWhenFree(verdict);
    }
    try {
      const result = await handler(request, delivery);
      verdict.leave(ofResult(result));
      return result;
    } catch (error) {
      verdict.leave(ofFault(asFault(error)));
      throw error;
    }
  };
}

/** A request that is ignored may have ended before the cluster was asked anything. */
function ofResult(result: Result): BreakerOutcome {
  if (result.isUnasked === true) return "neutral";
  if (result.type === "done") return result.outcome === "ignored" ? "neutral" : "answered";
  return result.reason === "ClusterUnknown" ? "neutral" : "answered";
}

/** A refusal of the API server is an answer. A fault of Redis, or of ours, says nothing about the cluster. */
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
