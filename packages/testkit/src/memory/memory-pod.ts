import { madeOnce } from "@fleet-reloader/domain/made-once";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { LiveSource } from "@fleet-reloader/engine/ports/cluster-api";
import { isJsonObject, objectAt, stringAt } from "../sim-api/objects/json.ts";
import type { KubeletReference } from "./kubelet-references.ts";
import { jsonText, timeText } from "./memory-workload.ts";

/** What a pod runs with: for each source its template references what was live when it started; undefined: nothing was. */
export type PodReads = ReadonlyMap<string, LiveSource | undefined>;

/** One pod, from the moment its controller made it. */
export interface MemoryPod {
  readonly revision: Revision;
  readonly name: string;
  readonly uid: string;
  readonly createdAtMs: number;
  /** Undefined: it has not started, or cannot. Positions are counts of writes of the API server. */
  readonly started:
    | { readonly atMs: number; readonly position: number; readonly reads: PodReads }
    | undefined;
  /** How many writes there were when it went; undefined: it is there. */
  readonly endedAt: number | undefined;
}

/** One pod template of a workload: a change of it makes new pods, and one back keeps those that run. */
export interface Revision {
  readonly workload: WorkloadRef;
  readonly uid: string;
  readonly number: number;
  readonly template: unknown;
  /** The write that made it: its position in the write log. */
  readonly position: number;
  readonly references: readonly KubeletReference[];
}

/** Those of its template, and the one by which its controller tells its pods from those of another template. */
export function podLabels({ revision }: MemoryPod): Labels {
  return labelsOf(revision);
}

const labelsOf = madeOnce((revision: Revision): Labels => {
  const { template, workload } = revision;
  const labels = isJsonObject(template) ? (objectAt(template, "metadata", "labels") ?? {}) : {};
  const texts = Object.keys(labels).map((key) => [key, stringAt(labels, key) ?? ""] as const);
  const revisionLabel = workload.kind === "Deployment" ? "pod-template-hash" : "controller-revision-hash";
  return { ...Object.fromEntries(texts), [revisionLabel]: revisionHash(revision) };
});

/** A pod as the API server sends it, as far as anybody here reads it: times are whole seconds. */
export function podObject(pod: MemoryPod): object {
  const { revision, name, uid, createdAtMs, started } = pod;
  const { workload } = revision;
  const state =
    started === undefined
      ? { waiting: { reason: "ContainerCreating" } }
      : { running: { startedAt: timeText(Math.floor(started.atMs / 1000)) } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ name, uid, namespace: workload.namespace },
      creationTimestamp: timeText(Math.floor(createdAtMs / 1000)),
      labels: podLabels(pod),
      ownerReferences: [{ apiVersion: "apps/v1", ...ownerOf(pod), controller: true }],
    },
    status: {
      phase: started === undefined ? "Pending" : "Running",
      startTime: timeText(Math.floor(createdAtMs / 1000)),
      containerStatuses: [{ name: "main", ready: started !== undefined, restartCount: 0, state }],
    },
  };
}

function ownerOf({ revision }: MemoryPod): object {
  const { workload, uid } = revision;
  if (workload.kind !== "Deployment") return { kind: workload.kind, name: workload.name, uid };
  const hash = revisionHash(revision);
  return { kind: "ReplicaSet", name: `${workload.name}-${hash}`, uid: `${uid}-${hash}` };
}

/** As a controller's: without a hyphen, so that the name of a ReplicaSet tells whose it is. */
function revisionHash({ uid, number }: MemoryPod["revision"]): string {
  return `${uid}x${number}`.replaceAll("-", "");
}

/** An image that cannot be pulled, for tests. */
export const imageThatHangs = "hangs:";

export function hangs({ template }: Revision): boolean {
  return jsonText(template)?.includes(`"image":"${imageThatHangs}`) === true;
}

/** Whether a container waits for what this refers to. */
export function isMissing({ key }: KubeletReference, live: LiveSource | undefined): boolean {
  if (live === undefined) return true;
  const { data, binaryData } = live.content ?? {};
  return key !== undefined && data?.has(key) !== true && binaryData?.has(key) !== true;
}
