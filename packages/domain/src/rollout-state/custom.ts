import { parseGoDuration } from "../annotation/go-duration.ts";
import { jsonField, jsonList, jsonText } from "../json.ts";
import { isManual, partitionOf } from "./revisioned.ts";
import { over, progressing, type RolloutState, unobserved } from "./rollout-state.ts";
import { hasNewPods, numberOf, progressSeconds, readStatus, type StatusReader } from "./status.ts";

/**
 * Argo's Rollout reports its own state. A canary that waits for a person is paused; one that waits for a time goes on. A change of the
 * Deployment that the Rollout refers to does not change the Rollout's own generation. So the Deployment's generation shows whether Argo has seen
 * the change. Argo 1.0 does not report which one it has seen.
 */
export function argoRolloutState(object: unknown, templateGeneration = 0): RolloutState {
  const read = readStatus(object);
  const { spec, status, isObserved } = read;
  const templateObserved = numberOf(jsonField(status, "workloadObservedGeneration")) ?? templateGeneration;
  if (!isObserved || templateObserved < templateGeneration) return unobserved;
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
      return argoPause(read, message);
    default:
      return argoProgress(read);
  }
}

/** Argo ends some pauses itself. The others wait for a person. */
function argoPause({ spec, status }: StatusReader, message: string): RolloutState {
  const ends = jsonList(status, "pauseConditions").map((pause) => pauseEndSeconds(pause, { spec, status }));
  const isTimed = ends.length > 0 && jsonField(spec, "paused") !== true;
  const atSeconds = isTimed ? Math.max(...ends) : Number.POSITIVE_INFINITY;
  return Number.isFinite(atSeconds)
    ? { type: "progressing", atSeconds }
    : { type: "progressing", trouble: { reason: "Paused", message } };
}

/** When Argo ends a pause; infinite when a person has to. */
function pauseEndSeconds(pause: unknown, { spec, status }: Pick<StatusReader, "spec" | "status">): number {
  const started = Date.parse(jsonText(pause, "startTime") ?? "") / 1000;
  const wait = waitSeconds(jsonField(pause, "reason"), { spec, status });
  return Number.isNaN(started) || wait === undefined ? Number.POSITIVE_INFINITY : started + wait;
}

/** How long a pause for this reason lasts by the strategy of the Rollout; undefined when a person has to end it. */
function waitSeconds(
  reason: unknown,
  { spec, status }: Pick<StatusReader, "spec" | "status">,
): number | undefined {
  const blueGreen = jsonField(spec, "strategy", "blueGreen");
  switch (reason) {
    case "CanaryPauseStep": {
      const wait = jsonField(canaryStep({ spec, status }), "pause", "duration");
      const ms = typeof wait === "string" ? parseGoDuration(wait) : undefined;
      return ms === undefined ? numberOf(wait) : ms / 1000;
    }
    case "BlueGreenPause":
      return jsonField(blueGreen, "autoPromotionEnabled") === false
        ? undefined
        : numberOf(jsonField(blueGreen, "autoPromotionSeconds"));
    default:
      return undefined;
  }
}

/** Argo's own deadline does not count during an analysis or an experiment: each takes as long as its metrics need. */
function argoProgress(read: StatusReader): RolloutState {
  const step = canaryStep(read);
  const isAnalysed = jsonField(step, "analysis") !== undefined || jsonField(step, "experiment") !== undefined;
  const atSeconds = progressSeconds(read);
  return {
    type: "progressing",
    ...(isAnalysed && { isOpenEnded: true }),
    ...(atSeconds > 0 && { atSeconds }),
  };
}

function canaryStep({ spec, status }: Pick<StatusReader, "spec" | "status">): unknown {
  const index = numberOf(jsonField(status, "currentStepIndex"));
  return index === undefined ? undefined : jsonList(spec, "strategy", "canary", "steps")[index];
}

/**
 * The state of a declared kind: the generation that its controller has observed, and the condition Ready or the number of pods with the present
 * template, if the object has them. For an object with none of them, the rollout is over with the write.
 */
export function declaredState(object: unknown): RolloutState {
  const read = readStatus(object);
  const isTold = numberOf(jsonField(read.status, "observedGeneration")) !== undefined;
  if (isTold && !read.isObserved) return unobserved;
  const ready = read.condition("Ready");
  if (ready === undefined) return countsNewPods(read) ? countedState(read) : over("NothingToObserve");
  if (ready.status === "True") return over("Ready");
  return { type: "progressing", trouble: { reason: "NotReady", message: ready.message } };
}

/** Whether there are pods with the present template; true when the object does not count them. */
export function hasNewDeclaredPods(object: unknown): boolean {
  return !countsNewPods(readStatus(object)) || hasNewPods(object);
}

function countsNewPods({ status }: StatusReader): boolean {
  return numberOf(jsonField(status, "updatedReplicas")) !== undefined;
}

/** A kind that counts its pods as the kinds of Kubernetes do, for example OpenKruise's CloneSet. */
function countedState({ spec, status, count }: StatusReader): RolloutState {
  // The number may be in another field, or another controller's.
  const replicas = numberOf(jsonField(spec, "replicas")) ?? count("replicas");
  if (Math.max(replicas, count("replicas")) === 0) return over("NoPods");
  const strategy = jsonField(spec, "updateStrategy");
  if (isManual(strategy)) return over("WaitsForManualDelete");
  // CloneSet works it out from a partition, which may be a percentage.
  const expected = numberOf(jsonField(status, "expectedUpdatedReplicas"));
  const wanted = Math.min(replicas, Math.max(0, expected ?? replicas - partitionOf(strategy)));
  const available = numberOf(jsonField(status, "availableReplicas")) ?? count("readyReplicas");
  const isPartitioned = wanted < replicas;
  const isOldGone = isPartitioned || count("replicas") <= count("updatedReplicas");
  if (count("updatedReplicas") >= wanted && available >= replicas && isOldGone)
    return over(isPartitioned ? "Partitioned" : "Available");
  return isUpdatePaused(spec, strategy)
    ? { type: "stalled", reason: "Paused", message: "its spec pauses the update" }
    : progressing;
}

function isUpdatePaused(spec: unknown, strategy: unknown): boolean {
  const places = [spec, strategy, jsonField(strategy, "rollingUpdate")];
  return places.some((place) => jsonField(place, "paused") === true);
}
