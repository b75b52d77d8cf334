import { jsonField } from "../json.ts";
import { over, type RolloutState, type Trouble, unobserved } from "./rollout-state.ts";
import { progressSeconds, readStatus, type StatusReader } from "./status.ts";

/** A Deployment: the rules of `kubectl rollout status`, and the reason when the rollout does not go on. */
export function deploymentState(object: unknown): RolloutState {
  const read = readStatus(object);
  if (!read.isObserved) return unobserved;
  const deadline = read.condition("Progressing");
  if (isRolledOut(read)) {
    if (read.replicas === 0) return over("NoPods");
    const isOwnTime = deadline?.reason === "NewReplicaSetAvailable" && deadline.updatedAtSeconds > 0;
    return {
      type: "healthy",
      reason: "Available",
      ...(isOwnTime ? { atSeconds: deadline.updatedAtSeconds } : {}),
    };
  }
  if (jsonField(read.spec, "paused") === true)
    return { type: "stalled", reason: "Paused", message: "spec.paused is true" };
  if (deadline?.status === "False" && deadline.reason === "ProgressDeadlineExceeded")
    return { type: "failed", reason: "ProgressDeadlineExceeded", message: deadline.message };
  return stillProgressing(read);
}

/**
 * OpenShift's DeploymentConfig reports the same in other words. It also fails when it is cancelled. Its status counts the pods of the latest
 * deployment as updated, although the template may have changed since: a change starts no deployment while the DeploymentConfig is paused, or
 * when it has no trigger for that.
 */
export function deploymentConfigState(object: unknown): RolloutState {
  const read = readStatus(object);
  if (!read.isObserved) return unobserved;
  const isLatestOut = isRolledOut(read);
  if (isLatestOut && read.replicas === 0) return over("NoPods");
  if (jsonField(read.spec, "paused") === true)
    return { type: "stalled", reason: "Paused", message: "spec.paused is true" };
  if (!isDeployedOnChange(object)) return over("WaitsForManualRollout");
  if (isLatestOut) return over("Available");
  const deadline = read.condition("Progressing");
  if (deadline?.status === "False") {
    const isLate = deadline.reason === "ProgressDeadlineExceeded";
    const reason = isLate ? "ProgressDeadlineExceeded" : "RolloutFailed";
    return { type: "failed", reason, message: deadline.message };
  }
  return stillProgressing(read);
}

/** Whether a changed template of this DeploymentConfig starts a deployment. OpenShift adds the trigger where `spec.triggers` is missing. */
export function isDeployedOnChange(object: unknown): boolean {
  const triggers = jsonField(object, "spec", "triggers");
  return !Array.isArray(triggers) || triggers.some((one) => jsonField(one, "type") === "ConfigChange");
}

/** Every existing pod runs the new template, and every wanted pod is available. */
function isRolledOut({ replicas, count }: StatusReader): boolean {
  return (
    count("updatedReplicas") >= replicas &&
    count("replicas") <= count("updatedReplicas") &&
    count("availableReplicas") >= count("updatedReplicas")
  );
}

/** A quota may have room again a moment later. */
function stillProgressing(read: StatusReader): RolloutState {
  const atSeconds = progressSeconds(read);
  const failure = read.condition("ReplicaFailure");
  const trouble: Trouble | undefined =
    failure?.status === "True" ? { reason: "ReplicaFailure", message: failure.message } : undefined;
  return { type: "progressing", ...(trouble && { trouble }), ...(atSeconds > 0 && { atSeconds }) };
}
