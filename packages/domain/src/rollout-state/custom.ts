import { jsonField, jsonText } from "../json.ts";
import { over, progressing, type RolloutState } from "./rollout-state.ts";
import { numberOf, readStatus } from "./status.ts";

/**
 * Argo's Rollout reports its own state. A canary that waits for a person is paused; one that waits for a time goes on. A change of the
 * Deployment that the Rollout refers to does not change the Rollout's own generation. So the Deployment's generation shows whether Argo has seen
 * the change. Argo 1.0 does not report which one it has seen.
 */
export function argoRolloutState(object: unknown, templateGeneration = 0): RolloutState {
  const { spec, status, isObserved } = readStatus(object);
  const templateObserved = numberOf(jsonField(status, "workloadObservedGeneration")) ?? templateGeneration;
  if (!isObserved || templateObserved < templateGeneration) return progressing;
  const restartAt = jsonField(spec, "restartAt");
  if (restartAt !== undefined && jsonField(status, "restartedAt") !== restartAt) return progressing;
  const message = jsonText(status, "message") ?? "";
  switch (jsonField(status, "phase")) {
    case "Healthy":
      return over(numberOf(jsonField(spec, "replicas")) === 0 ? "NoPods" : "Available");
    case "Degraded":
      return message.includes("ProgressDeadlineExceeded")
        ? { type: "failed", reason: "ProgressDeadlineExceeded", message }
        : { type: "failed", reason: "RolloutFailed", message };
    case "Paused":
      return { type: "progressing", trouble: { reason: "Paused", message } };
    default:
      return progressing;
  }
}

/**
 * The state of a declared kind: the generation that its controller has observed and the condition Ready, if the object has them. For an object
 * with neither, the rollout is over with the write.
 */
export function declaredState(object: unknown): RolloutState {
  const { status, isObserved, condition } = readStatus(object);
  const isTold = numberOf(jsonField(status, "observedGeneration")) !== undefined;
  if (isTold && !isObserved) return progressing;
  const ready = condition("Ready");
  if (ready === undefined) return over(isTold ? "Ready" : "NothingToObserve");
  if (ready.status === "True") return over("Ready");
  return { type: "progressing", trouble: { reason: "NotReady", message: ready.message } };
}
