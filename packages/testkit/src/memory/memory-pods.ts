import { isDeepStrictEqual } from "node:util";
import { jsonField } from "@fleet-reloader/domain/json";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import {
  type Labels,
  matchesSelector,
  parseLabelSelector,
} from "@fleet-reloader/domain/workload/label-selector";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { LiveSource, LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { type KubeletReference, kubeletReferences } from "./kubelet-references.ts";
import { hangs, isMissing, type MemoryPod, podLabels, podObject, type Revision } from "./memory-pod.ts";
import type { ClusterWrite, StoreObserver } from "./memory-store.ts";
import { jsonText } from "./memory-workload.ts";
import type { SeededRandom } from "./seeded-random.ts";

type Pod = { -readonly [K in keyof MemoryPod]: MemoryPod[K] } & { isWaiting: boolean };

interface Due {
  readonly atMs: number;
  readonly act: (atMs: number) => void;
}

interface Served {
  readonly writes: readonly ClusterWrite[];
  readonly sourcesByKey: ReadonlyMap<string, { readonly live: LiveSource }>;
}

export interface MemoryPodsOptions {
  /** The API server's. */
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Of a workload whose spec does not say. */
  readonly replicas?: (workload: WorkloadRef) => number;
}

const controllerLagMaxMs = 300;
const startMaxMs = 2000;

/**
 * Controllers and kubelets: pods of each template of each workload, which read what is live when they start and not again.
 * Nothing sleeps: what is due happens before the next write or question, at its own moment and in order.
 */
export class MemoryPods implements StoreObserver {
  /** Every pod there ever was, by UID of its workload, oldest first. */
  readonly byWorkload = new Map<string, Pod[]>();
  /** How often anything has changed that a status tells. */
  changes = 0;
  /** Those that are there, in the same order: asked for far more often than they change. */
  readonly #aliveByWorkload = new Map<string, readonly Pod[]>();
  readonly #options: MemoryPodsOptions;
  readonly #revisions = new Map<string, Revision>();
  readonly #revisionsByUid = new Map<string, Revision[]>();
  /** Those whose controller has seen them. */
  readonly #begun = new Set<Revision>();
  /** As many pods as its spec says, by UID of the workload. */
  readonly #scaledTo = new Map<string, number>();
  readonly #due: Due[] = [];
  #served: Served = { writes: [], sourcesByKey: new Map() };
  #count = 0;

  constructor(options: MemoryPodsOptions) {
    this.#options = options;
  }

  attach(served: Served): void {
    this.#served = served;
  }

  /** All that was due until now has happened. */
  catchUp(): void {
    const now = this.#options.clock.now();
    for (;;) {
      let next: Due | undefined;
      for (const due of this.#due)
        if (due.atMs <= now && (next === undefined || due.atMs < next.atMs)) next = due;
      if (next === undefined) return;
      this.#due.splice(this.#due.indexOf(next), 1);
      next.act(next.atMs);
    }
  }

  wrote({ target, before, after, isTemplateChanged }: ClusterWrite): void {
    if (before === undefined && after === undefined) this.#retryWaiting();
    if (before !== undefined && after === undefined) this.#removed(target, before);
    const isScaled = after !== undefined && this.#isScaled(after);
    if (after !== undefined && isTemplateChanged) this.#templateChanged(target, after);
    else if (isScaled) this.#rollAfterLag(this.#revisions.get(target));
  }

  /** Pods that are there, newest template or not. */
  of(workload: WorkloadRef): readonly MemoryPod[] {
    this.catchUp();
    const { uid } = this.#revisions.get(workloadKey(workload)) ?? {};
    return this.#alive(uid);
  }

  /** Every template that the workload with this UID ever had, oldest first. */
  revisions(uid: string): readonly Revision[] {
    return this.#revisionsByUid.get(uid) ?? [];
  }

  /** What the API server answers to a list of pods. */
  list(namespace: string, labelSelector: string): readonly object[] {
    this.catchUp();
    const selector = parseLabelSelector(labelSelector);
    if ("problem" in selector) throw new Error(selector.problem);
    const isAsked = (pod: MemoryPod) =>
      pod.revision.workload.namespace === namespace &&
      matchesSelector(selector, podLabels(pod) satisfies Labels);
    return [...this.#revisions.values()]
      .flatMap(({ uid }) => this.#alive(uid))
      .filter(isAsked)
      .map(podObject);
  }

  /** A node goes: its pod is made anew, of the newest template. */
  evict(workload: WorkloadRef): void {
    this.catchUp();
    const revision = this.#revisions.get(workloadKey(workload));
    const pod = this.#options.random.pick(this.#alive(revision?.uid));
    if (revision === undefined || pod === undefined) return;
    this.#end(pod);
    const isNewest = pod.revision === revision;
    if (isNewest) this.#rollAfterLag(revision);
  }

  /** What a workload's controller says of it. */
  statusOf(workload: WorkloadRef): object {
    this.catchUp();
    const revision = this.#revisions.get(workloadKey(workload));
    const pods = this.#alive(revision?.uid);
    const updated = pods.filter((pod) => pod.revision === revision).length;
    // A StatefulSet ends a pod before it makes the next one.
    const counted = workload.kind === "StatefulSet" ? pods.filter((pod) => pod.revision === revision) : pods;
    const ready = counted.filter(({ started }) => started !== undefined).length;
    const isBegun = revision !== undefined && this.#begun.has(revision);
    const isOver = updated === pods.length;
    return {
      ...{ replicas: pods.length, updatedReplicas: updated, readyReplicas: ready, availableReplicas: ready },
      ...{ currentNumberScheduled: pods.length, desiredNumberScheduled: pods.length },
      ...{ updatedNumberScheduled: updated, numberAvailable: ready },
      ...{ updateRevision: "new", currentRevision: isOver ? "new" : "old" },
      ...(isBegun ? {} : { observedGeneration: 0 }),
      ...(ready < pods.length ? { unavailableReplicas: pods.length - ready } : {}),
    };
  }

  #templateChanged(key: string, { ref, uid, template }: LiveWorkload): void {
    const before = this.#revisions.get(key);
    const revision: Revision = {
      ...{ workload: ref, uid, template, references: kubeletReferences(template) },
      number: (before?.number ?? 0) + 1,
      position: this.#served.writes.length - 1,
    };
    this.#revisions.set(key, revision);
    this.changes += 1;
    if (!this.byWorkload.has(uid)) this.byWorkload.set(uid, []);
    const length = jsonText(template)?.length;
    // Whatever the order of keys, equal ones are equally long.
    const returned = this.revisions(uid).findLast(
      (one) => jsonText(one.template)?.length === length && isDeepStrictEqual(one.template, template),
    );
    this.#revisionsByUid.set(uid, [...this.revisions(uid), revision]);
    if (returned !== undefined) this.#keepPods(returned, revision);
    this.#rollAfterLag(revision);
  }

  #rollAfterLag(revision: Revision | undefined): void {
    if (revision === undefined) return;
    const lagMs = this.#options.random.below(controllerLagMaxMs);
    this.#due.push({ atMs: this.#options.clock.now() + lagMs, act: (atMs) => this.#roll(revision, atMs) });
  }

  #isScaled({ uid, object }: LiveWorkload): boolean {
    const replicas = jsonField(object, "spec", "replicas");
    if (typeof replicas !== "number" || this.#scaledTo.get(uid) === replicas) return false;
    this.#scaledTo.set(uid, replicas);
    return true;
  }

  /** A template that is written again has its pods again: those that run stay, with what they have read. */
  #keepPods(returned: Revision, revision: Revision): void {
    const stay = this.#alive(revision.uid).filter(
      (pod) => pod.revision === returned && pod.started !== undefined,
    );
    for (const pod of stay) {
      this.#end(pod);
      this.#add({ ...pod, revision, endedAt: undefined });
    }
  }

  /** A controller looks: what has not started of older templates never does, and there are as many pods as are asked for. */
  #roll(revision: Revision, atMs: number): void {
    if (!this.#isNewest(revision)) return;
    this.#begun.add(revision);
    this.changes += 1;
    const isOther = (pod: Pod) => pod.revision !== revision;
    const alive = this.#alive(revision.uid);
    for (const pod of alive.filter(isOther)) if (pod.started === undefined) this.#end(pod);
    const replicas = this.#scaledTo.get(revision.uid) ?? this.#options.replicas?.(revision.workload) ?? 1;
    const kept = alive.filter((pod) => !isOther(pod));
    for (let count = kept.length; count < replicas; count += 1) this.#make(revision, atMs);
    for (const pod of kept.slice(replicas)) this.#end(pod);
    const areRunning = kept.length >= replicas && kept.every(({ started }) => started !== undefined);
    if (areRunning) for (const pod of this.#alive(revision.uid).filter(isOther)) this.#end(pod);
  }

  #make(revision: Revision, atMs: number): void {
    if (!this.#isNewest(revision)) return;
    this.#count += 1;
    const pod: Pod = {
      ...{ revision, name: `${revision.workload.name}-${this.#count}`, uid: `pod-${this.#count}` },
      ...{ createdAtMs: atMs, started: undefined, endedAt: undefined, isWaiting: false },
    };
    this.#add(pod);
    this.#startAfter(pod, atMs, this.#startMs());
  }

  #startAfter(pod: Pod, fromMs: number, ms: number): void {
    this.#due.push({ atMs: fromMs + ms, act: (atMs) => this.#start(pod, atMs) });
  }

  #start(pod: Pod, atMs: number): void {
    if (pod.endedAt !== undefined || pod.started !== undefined) return;
    const { references, uid, workload } = pod.revision;
    if (hangs(pod.revision)) return;
    const live = (reference: KubeletReference) => this.#live(workload.namespace, reference);
    pod.isWaiting = references.some(
      (reference) => !reference.isOptional && isMissing(reference, live(reference)),
    );
    if (pod.isWaiting) return;
    const reads = new Map(
      references.map((reference) => [keyOf(workload.namespace, reference), live(reference)]),
    );
    this.changes += 1;
    pod.started = { atMs, position: this.#served.writes.length, reads };
    const old = this.#alive(uid).filter(({ revision }) => revision !== pod.revision);
    const isLast = this.#alive(uid).every(
      (one) => one.revision !== pod.revision || one.started !== undefined,
    );
    for (const one of isLast ? old : old.slice(0, 1)) this.#end(one);
  }

  #retryWaiting(): void {
    for (const { uid } of this.#revisions.values()) {
      for (const pod of this.#alive(uid)) {
        if (!pod.isWaiting) continue;
        pod.isWaiting = false;
        this.#startAfter(pod, this.#options.clock.now(), this.#options.random.below(startMaxMs));
      }
    }
  }

  #removed(key: string, { uid }: LiveWorkload): void {
    for (const pod of this.#alive(uid)) this.#end(pod);
    this.#revisions.delete(key);
    this.changes += 1;
  }

  #add(pod: Pod): void {
    const { uid } = pod.revision;
    this.changes += 1;
    this.byWorkload.get(uid)?.push(pod);
    this.#aliveByWorkload.set(uid, [...this.#alive(uid), pod]);
  }

  #end(pod: Pod): void {
    const { uid } = pod.revision;
    this.changes += 1;
    pod.endedAt = this.#served.writes.length;
    this.#aliveByWorkload.set(
      uid,
      this.#alive(uid).filter((one) => one !== pod),
    );
  }

  #alive(uid: string | undefined): readonly Pod[] {
    return this.#aliveByWorkload.get(uid ?? "") ?? [];
  }

  #isNewest(revision: Revision): boolean {
    return this.#revisions.get(workloadKey(revision.workload)) === revision;
  }

  /** An image that is there starts soon, one that has to be pulled does not. */
  #startMs(): number {
    const { random } = this.#options;
    return random.chance(0.8) ? 100 + random.below(400) : random.below(startMaxMs);
  }

  #live(namespace: string, reference: KubeletReference): LiveSource | undefined {
    return this.#served.sourcesByKey.get(keyOf(namespace, reference))?.live;
  }
}

function keyOf(namespace: string, { kind, name }: KubeletReference): string {
  return sourceKey({ kind, namespace, name } satisfies SourceRef);
}
