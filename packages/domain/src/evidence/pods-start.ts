import { jsonField, jsonList, jsonText } from "../json.ts";
import { secondsOf } from "./managed-fields.ts";
import { podRevisionOf } from "./pod-revision.ts";

/** The clock of a node or a controller may be ahead of the API server's by this much without anybody noticing. */
export const clockSeconds = 2;

/** When the first container of a workload's pods started: between these two, in seconds of the API server's clock. */
export interface PodsStart {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** When the pods of a workload started, as far as their status tells. */
export interface RunningPods {
  /** Of the pods of the newest template; undefined when the status of none names a container. */
  readonly newest: PodsStart | undefined;
  /**
   * The second in which the first container of these started, init containers included, by the clock of its node. One of which no status tells
   * started with its pod, in doubt.
   */
  readonly newestByNode: number;
  /** The second in which each container of each living pod started, of whatever template, by the clock of its node. */
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

/** By the clock of its node as it is, which is most likely right: no more than `clockSeconds` off, or it would not be between the two. */
export function likelyStart({ notBefore, notAfter }: PodsStart): number {
  return Math.max(notBefore, notAfter - clockSeconds);
}

interface ContainerStart extends PodsStart {
  readonly byNode: number;
}

/** It waits: when it starts, it reads what is there then. */
const toCome: ContainerStart = {
  notBefore: Number.POSITIVE_INFINITY,
  notAfter: Number.POSITIVE_INFINITY,
  byNode: Number.POSITIVE_INFINITY,
};

/**
 * When the pods of the newest template started; undefined when the status of none names a container. A container reads its variables when it starts, also when it
 * starts again. An init container or a sidecar does not start again with the others: what it has read may be older. Of a pod that says nothing of its containers
 * it is only known when it was made.
 */
export function podsStart(pods: readonly unknown[]): PodsStart | undefined {
  const those = podsOfNewest(pods);
  // No kubelet has reported on any of them yet: it is not known whether they have started.
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

/** What no status tells yet began no earlier than the pod. */
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
  // An init container that has ended does not start again. Most need none of the sources: that one has started proves no read.
  const early = statusesOf(pod, "initContainerStatuses").map((status) => {
    const begun = jsonField(status, "state", "running") ?? jsonField(status, "state", "terminated");
    return { ...containerStart(begun, made), notAfter: Number.POSITIVE_INFINITY };
  });
  return [...starts, ...early];
}

function statusesOf(pod: unknown, list: "containerStatuses" | "initContainerStatuses"): readonly unknown[] {
  return jsonList(jsonField(pod, "status", list));
}

/** `begun`: the state that says when the container started; undefined when it has yet to start. */
function containerStart(begun: unknown, madeAtSeconds: number): ContainerStart {
  if (begun === undefined) return toCome;
  const startedAt = secondsOf(jsonField(begun, "startedAt"));
  const notBefore = Math.max(madeAtSeconds, startedAt - clockSeconds);
  const notAfter = Math.max(notBefore, startedAt + clockSeconds);
  return { notBefore, notAfter, byNode: Math.max(madeAtSeconds, startedAt) };
}

/**
 * Whether a pod that the workload's selector fits is the workload's: others may have the same labels. Pods of a Deployment belong to a
 * ReplicaSet that is named after it and the hash of its template, which has no hyphen: `shop-worker-7d9f` is of `shop-worker`, not of `shop`.
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
