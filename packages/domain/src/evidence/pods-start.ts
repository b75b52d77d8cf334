import { jsonField, jsonList, jsonText } from "../json.ts";
import { secondsOf } from "./managed-fields.ts";
import { podRevisionOf } from "./pod-revision.ts";

/** The clock of a node or controller may be ahead of the API server's by this much without anybody noticing. */
export const clockSeconds = 2;

/** Bounds for the start of the first container of a workload's pods, in seconds of the API server's clock. */
export interface PodsStart {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** When the pods of a workload started, as far as their status says. */
export interface RunningPods {
  /** Of the pods of the newest template; undefined when the status of none names a container. */
  readonly newest: PodsStart | undefined;
  /**
   * The second in which the first container of the newest pods started, init containers included, by the clock of its node. A container that no
   * status reports counts as started with its pod.
   */
  readonly newestByNode: number;
  /** The second in which each container of each living pod started, of any template, by the clock of its node. */
  readonly each: readonly number[];
}

export function runningPods(pods: readonly unknown[]): RunningPods {
  const each = pods.filter(isLiving).flatMap(startsOf).map(startByNode);
  const newestByNode = Math.min(
    ...podsOfNewest(pods)
      .flatMap(startsOf)
      .map(({ byNode }) => byNode),
  );
  return { newest: podsStart(pods), newestByNode, each };
}

/**
 * The start by the clock of its node, taken as it is. It is most likely right: at most `clockSeconds` off, or it would not lie between the
 * bounds.
 */
export function likelyStart({ notBefore, notAfter }: PodsStart): number {
  return Math.max(notBefore, notAfter - clockSeconds);
}

interface ContainerStart extends PodsStart {
  readonly byNode: number;
}

/** The container waits. When it starts, it reads what is there then. */
const toCome: ContainerStart = {
  notBefore: Number.POSITIVE_INFINITY,
  notAfter: Number.POSITIVE_INFINITY,
  byNode: Number.POSITIVE_INFINITY,
};

/**
 * When the pods of the newest template started; undefined when the status of none names a container. A container reads its variables whenever it
 * starts or restarts. An init container or a sidecar does not restart with the others, so it may have read older content. For a pod that reports
 * no containers only the time of its creation is known.
 */
export function podsStart(pods: readonly unknown[]): PodsStart | undefined {
  const those = podsOfNewest(pods);
  // No kubelet has reported on any of the pods yet, so nobody knows whether they have started.
  if (!those.some(hasStatuses)) return undefined;
  const starts = those.flatMap(startsOf);
  return {
    notBefore: Math.min(...starts.map(({ notBefore }) => notBefore)),
    notAfter: Math.min(...starts.map(({ notAfter }) => notAfter)),
  };
}

/** The living pods of the newest template. */
function podsOfNewest(pods: readonly unknown[]): readonly unknown[] {
  const living = pods.filter(isLiving);
  const newest = Math.max(...living.map(podCreatedAt));
  const revision = podRevisionOf(living.find((pod) => podCreatedAt(pod) === newest));
  return living.filter((pod) => podRevisionOf(pod) === revision);
}

/** A container that no status reports yet started no earlier than its pod was made. */
function startByNode(start: PodsStart): number {
  return Number.isFinite(start.notAfter) ? likelyStart(start) : start.notBefore;
}

function hasStatuses(pod: unknown): boolean {
  return statusesOf(pod, "containerStatuses").length > 0;
}

function startsOf(pod: unknown): readonly ContainerStart[] {
  const made = podCreatedAt(pod);
  const statuses = statusesOf(pod, "containerStatuses");
  if (statuses.length === 0) return [{ notBefore: made, notAfter: Number.POSITIVE_INFINITY, byNode: made }];
  const starts = statuses.map((status) => containerStart(jsonField(status, "state", "running"), made));
  // An init container that has ended does not start again. Most need none of the sources, so the start of one proves no read.
  const early = statusesOf(pod, "initContainerStatuses").map((status) => {
    const begun = jsonField(status, "state", "running") ?? jsonField(status, "state", "terminated");
    return { ...containerStart(begun, made), notAfter: Number.POSITIVE_INFINITY };
  });
  return [...starts, ...early];
}

function statusesOf(pod: unknown, list: "containerStatuses" | "initContainerStatuses"): readonly unknown[] {
  return jsonList(jsonField(pod, "status", list));
}

/** `begun`: the state that says when the container started; undefined when it has not started. */
function containerStart(begun: unknown, madeAtSeconds: number): ContainerStart {
  if (begun === undefined) return toCome;
  const startedAt = secondsOf(jsonField(begun, "startedAt"));
  const notBefore = Math.max(madeAtSeconds, startedAt - clockSeconds);
  const notAfter = Math.max(notBefore, startedAt + clockSeconds);
  return { notBefore, notAfter, byNode: Math.max(madeAtSeconds, startedAt) };
}

/**
 * Whether a pod that matches the workload's selector belongs to the workload: other pods may have the same labels. Pods of a Deployment belong
 * to a ReplicaSet whose name is the Deployment's and a template hash without a hyphen: `shop-worker-7d9f` belongs to `shop-worker`, not to
 * `shop`.
 */
export function isPodOf(pod: unknown, workload: { readonly uid: string; readonly name: string }): boolean {
  const owners = jsonList(jsonField(jsonField(pod, "metadata"), "ownerReferences"));
  const owner = owners.find((one) => jsonField(one, "controller") === true);
  if (owner === undefined) return true;
  const name = jsonText(jsonField(owner, "name")) ?? "";
  const kind = jsonField(owner, "kind");
  const prefix = `${workload.name}-`;
  if (kind === "ReplicaSet" || kind === "ReplicationController")
    return name.startsWith(prefix) && !name.slice(prefix.length).includes("-");
  return jsonField(owner, "uid") === workload.uid;
}

function isLiving(pod: unknown): boolean {
  const phase = jsonField(jsonField(pod, "status"), "phase");
  const isEnding = jsonText(jsonField(jsonField(pod, "metadata"), "deletionTimestamp")) !== undefined;
  return !isEnding && phase !== "Succeeded" && phase !== "Failed";
}

function podCreatedAt(pod: unknown): number {
  return secondsOf(jsonField(jsonField(pod, "metadata"), "creationTimestamp"));
}
