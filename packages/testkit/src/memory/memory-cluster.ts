import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { type Annotations, type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type {
  Admit,
  ClusterApi,
  Exactly,
  LiveSource,
  LiveWorkload,
  WorkloadLists,
  WorkloadPatch,
} from "@fleet-reloader/engine/ports/cluster-api";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import { type CallHooks, type ClusterCall, MemoryCalls } from "./memory-calls.ts";
import { deleteStored, patchStored, startDeleting } from "./memory-own-writes.ts";
import type { MemoryPods } from "./memory-pods.ts";
import { contentOf } from "./memory-source.ts";
import { type ClusterWrite, MemoryStore, type MemoryStoreOptions } from "./memory-store.ts";
import { changeOf, type WorkloadChange, withSelector, withStatus } from "./memory-workload.ts";

export interface MemoryClusterOptions extends MemoryStoreOptions, CallHooks {
  readonly cluster?: string;
  /** An admission webhook: what it makes of the pod template of a write of ours. */
  readonly admit?: (template: unknown) => unknown;
  /** Makes the pods of its workloads; none are made when absent. */
  readonly controllers?: MemoryPods;
}

/** An API server as the engine sees one: reads, conditional writes, lists and watches; with its write log open to tests. */
export class MemoryCluster implements ClusterApi, ClusterStreams, WorkloadLists {
  readonly cluster: string;
  readonly #calls: MemoryCalls;
  readonly #options: MemoryClusterOptions;
  readonly #store: MemoryStore;

  constructor(options: MemoryClusterOptions) {
    this.#options = options;
    this.#store = new MemoryStore(options);
    this.#calls = new MemoryCalls(options);
    this.cluster = options.cluster ?? "c1";
    options.controllers?.attach(this.#store);
    this.#store.observer = options.controllers;
  }

  get calls(): ClusterCall[] {
    return this.#calls.made;
  }

  // What people do.

  /** Who writes sources: their field manager. */
  set writer(manager: string) {
    this.#store.writer = manager;
  }

  /** Pods that are there whoever asks for some, beside those that controllers make. */
  pods: readonly object[] = [];

  /** Where people make things. */
  namespace = "ns";

  setNamespace(name: string, labels: Labels): void {
    this.#store.setNamespace(name, labels);
  }

  deleteNamespace(name: string): void {
    this.#store.deleteNamespace(name);
  }

  setSource(kind: SourceKind, name: string, data: Annotations, annotations: Annotations = {}): SourceRef {
    const ref = { kind, namespace: this.namespace, name };
    const before = this.#store.sourcesByKey.get(sourceKey(ref))?.live;
    const { createdAtSeconds, labels } = before ?? { createdAtSeconds: this.#store.now, labels: {} };
    const content = contentOf(data);
    this.#store.putSource({ ref, annotations, labels, createdAtSeconds, content }, "upsert");
    return ref;
  }

  labelSource(ref: SourceRef, labels: Labels): void {
    const stored = this.#store.sourcesByKey.get(sourceKey(ref));
    if (stored !== undefined) this.#store.putSource({ ...stored.live, labels }, "upsert");
  }

  /** What shows a content came to be at that time; an undefined content is shown by nothing. */
  showSource(ref: SourceRef, data: Annotations | undefined, asOfSeconds: number): void {
    const content = data === undefined ? undefined : contentOf(data);
    const before = { ref, annotations: {}, labels: {}, createdAtSeconds: this.#store.now };
    const { live } = this.#store.sourcesByKey.get(sourceKey(ref)) ?? { live: before };
    this.#store.putSource({ ...live, content, asOfSeconds }, "upsert");
  }

  deleteSource(ref: SourceRef): void {
    const stored = this.#store.sourcesByKey.get(sourceKey(ref));
    if (stored !== undefined) this.#store.putSource(stored.live, "delete");
  }

  setWorkload(name: string, change: Omit<WorkloadChange, "by">, kind = "Deployment"): WorkloadRef {
    const ref = { kind, namespace: this.namespace, name };
    const before = this.#store.workloadsByKey.get(workloadKey(ref));
    const isMade = before === undefined && this.#options.controllers !== undefined;
    const fields = isMade ? withSelector(change) : {};
    this.#store.putWorkload(ref, before, { ...change, ...fields, by: "people" });
    return ref;
  }

  /** Any object with a pod template, from its manifest. */
  setObject(kind: string, name: string, manifest: object): WorkloadRef {
    return this.setWorkload(name, changeOf(manifest, { kind, namespace: "ns", name }), kind);
  }

  deleteWorkload(ref: WorkloadRef): void {
    this.#store.removeWorkload(ref, "people");
  }

  /** A controller reports on a rollout: the workload has a new version, and nothing that we read is different. */
  touchStatus(ref: WorkloadRef): void {
    const before = this.#store.workloadsByKey.get(workloadKey(ref));
    if (before !== undefined)
      this.#store.storeWorkload({ ...before, resourceVersion: this.#store.nextVersion() });
  }

  /** Its controller writes what it has come to. */
  setStatus(ref: WorkloadRef, status: object): void {
    const before = this.#store.workloadsByKey.get(workloadKey(ref));
    if (before === undefined) return;
    const resourceVersion = this.#store.nextVersion();
    this.#store.storeWorkload({ ...withStatus(before, status), resourceVersion });
  }

  /** Finalizers hold a deletion up. */
  startDeleting(ref: WorkloadRef): void {
    startDeleting(this.#store, ref);
  }

  // What tests look at.

  get writes(): readonly ClusterWrite[] {
    return this.#store.writes;
  }

  workload(ref: WorkloadRef): LiveWorkload | undefined {
    return this.#store.workloadsByKey.get(workloadKey(ref));
  }

  source(ref: SourceRef): (LiveSource & SourceVersion) | undefined {
    return this.#store.sourcesByKey.get(sourceKey(ref))?.live;
  }

  get workloadRefs(): readonly WorkloadRef[] {
    return [...this.#store.workloadsByKey.values()].map(({ ref }) => ref);
  }

  get sourceRefs(): readonly SourceRef[] {
    return [...this.#store.sourcesByKey.values()].map(({ live }) => live.ref);
  }

  /** Writes of ours that made the pods of a workload anew. */
  rolls(ref?: WorkloadRef): readonly ClusterWrite[] {
    return this.writes.filter(
      (write) =>
        write.by === "us" &&
        write.isTemplateChanged &&
        (ref === undefined || write.target === workloadKey(ref)),
    );
  }

  cutWatches(): void {
    this.#store.cutWatches();
  }

  holdWatches(): void {
    this.#store.holdWatches();
  }

  resumeWatches(): void {
    this.#store.resumeWatches();
  }

  replayEvents(count: number): void {
    this.#store.replayEvents(count);
  }

  // What the engine asks for.

  async readWorkload(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined> {
    return await this.#calls.make({ verb: "read", target: workloadKey(ref) }, signal, () => {
      const stored = this.#store.workloadsByKey.get(workloadKey(ref));
      return stored && this.#store.seen(stored);
    });
  }

  async readSource(ref: SourceRef, signal: AbortSignal): Promise<LiveSource | undefined> {
    return await this.#calls.make({ verb: "read", target: sourceKey(ref) }, signal, () => this.source(ref));
  }

  async readSourceAnnotations(ref: SourceRef, signal: AbortSignal): Promise<Annotations> {
    const read = () => this.#store.sourcesByKey.get(sourceKey(ref))?.live.annotations ?? {};
    return await this.#calls.make({ verb: "read", target: `annotations of ${sourceKey(ref)}` }, signal, read);
  }

  async readWorkloadAnnotations(ref: WorkloadRef, signal: AbortSignal): Promise<Annotations> {
    const call = { verb: "read", target: `annotations of ${workloadKey(ref)}` } as const;
    return await this.#calls.make(call, signal, () => this.workload(ref)?.annotations ?? {});
  }

  async readSources(
    kind: SourceKind,
    namespace: string,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, LiveSource>> {
    const sources = await this.#calls.make({ verb: "list", target: `${kind}/${namespace}` }, signal, () =>
      [...names].map((name) => this.source({ kind, namespace, name })),
    );
    return new Map(sources.flatMap((live) => (live === undefined ? [] : [[live.ref.name, live] as const])));
  }

  async listSourceNames(
    kind: SourceKind,
    namespace: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    return await this.#calls.make({ verb: "list", target: `${kind}/${namespace}` }, signal, () =>
      this.sourceRefs
        .filter((ref) => ref.kind === kind && ref.namespace === namespace && this.#store.isServed(ref))
        .map(({ name }) => name),
    );
  }

  async listWorkloads(
    kind: string,
    namespace: string,
    signal: AbortSignal,
  ): Promise<readonly LiveWorkload[]> {
    return await this.#calls.make({ verb: "list", target: `${kind}/${namespace}` }, signal, () =>
      [...this.#store.workloadsByKey.values()]
        .filter(({ ref }) => ref.kind === kind && ref.namespace === namespace)
        .map((stored) => this.#store.seen(stored)),
    );
  }

  async listPods(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly unknown[]> {
    const target = `Pod/${namespace}?${labelSelector}`;
    return await this.#calls.make({ verb: "list", target }, signal, () => [
      ...this.pods,
      ...(this.#options.controllers?.list(namespace, labelSelector) ?? []),
    ]);
  }

  async readNamespaceLabels(namespace: string, signal: AbortSignal): Promise<Labels | undefined> {
    const read = () => this.#store.namespacesByName.get(namespace)?.labels;
    return await this.#calls.make({ verb: "read", target: `Namespace/${namespace}` }, signal, read);
  }

  async patchWorkload(
    ref: WorkloadRef,
    patch: WorkloadPatch,
    signal: AbortSignal,
  ): Promise<LiveWorkload | undefined> {
    const call = { verb: "patch", target: workloadKey(ref), admit: patch.admit } as const;
    return await this.#calls.make(call, signal, () =>
      patchStored(this.#store, ref, patch, this.#options.admit),
    );
  }

  async createWorkload(
    { ref, object }: NewObject,
    signal: AbortSignal,
    admit?: Admit,
  ): Promise<LiveWorkload> {
    return await this.#calls.make({ verb: "create", target: workloadKey(ref), admit }, signal, () => {
      const before = this.#store.workloadsByKey.get(workloadKey(ref));
      return before ?? this.#store.putWorkload(ref, undefined, { ...changeOf(object, ref), by: "us" });
    });
  }

  async deleteExactly(ref: WorkloadRef, exactly: Exactly, signal: AbortSignal, admit?: Admit): Promise<void> {
    await this.#calls.make({ verb: "delete", target: workloadKey(ref), admit }, signal, () =>
      deleteStored(this.#store, ref, exactly),
    );
  }

  workloads(...asked: Parameters<MemoryStore["workloads"]>): Stream {
    return this.#store.workloads(...asked);
  }

  serverSeconds(): number {
    return this.#store.serverSeconds();
  }

  sources(...asked: Parameters<MemoryStore["sources"]>): Stream {
    return this.#store.sources(...asked);
  }

  namespaces(...asked: Parameters<MemoryStore["namespaces"]>): Stream {
    return this.#store.namespaces(...asked);
  }
}
