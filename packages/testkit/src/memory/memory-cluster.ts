import { Fault } from "@fleet-reloader/domain/fault";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { NewObject } from "@fleet-reloader/domain/kind/roll-write";
import { type Labels, matchesSelector, parseLabelSelector } from "@fleet-reloader/domain/label-selector";
import {
  type SourceContent,
  type SourceKind,
  type SourceRef,
  sourceKey,
} from "@fleet-reloader/domain/source";
import { applyEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import { type Annotations, type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { Clock } from "@fleet-reloader/engine/clock";
import type {
  ClusterApi,
  Exactly,
  LiveSource,
  LiveWorkload,
  WorkloadPatch,
} from "@fleet-reloader/engine/cluster-api";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/cluster-streams";
import type { LabelledNamespace } from "@fleet-reloader/engine/namespace-watch";
import type { SourceVersion } from "@fleet-reloader/engine/reference-index";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/source-stream";
import { withTemplateOf } from "@fleet-reloader/engine/template-owner";
import { arrayAt, objectAt } from "../sim-api/objects/json.ts";
import { MemoryStream, type StreamControl } from "./memory-stream.ts";
import {
  changeOf,
  isSame,
  type StoredWorkload,
  type WorkloadChange,
  writtenWorkload,
} from "./memory-workload.ts";

/** A call of ours to the API server. */
export interface ClusterCall {
  readonly verb: "read" | "list" | "patch" | "create" | "delete";
  /** `Deployment/ns/api`, `ConfigMap/ns/app`, or `ConfigMap/ns` for a list. */
  readonly target: string;
}

/** One write that was accepted and changed something. */
export interface ClusterWrite {
  readonly at: number;
  readonly by: "us" | "people";
  readonly target: string;
  readonly isTemplateChanged: boolean;
  /** Of a workload; undefined when it was deleted, and for sources. */
  readonly before: LiveWorkload | undefined;
  readonly after: LiveWorkload | undefined;
}

export interface MemoryClusterOptions {
  readonly clock: Clock;
  readonly cluster?: string;
  /** Before the server does what is asked: a place to wait, or to throw the fault that it answers with. */
  readonly before?: (call: ClusterCall) => Promise<void> | void;
  /** After it was done and before the answer: what is thrown here is a lost reply. */
  readonly after?: (call: ClusterCall) => Promise<void> | void;
  /** The label selector that sources are listed and watched with. */
  readonly sourceSelector?: string;
  /** An admission webhook: what it makes of the pod template of a write of ours. */
  readonly admit?: (template: unknown) => unknown;
}

interface StoredSource {
  readonly live: LiveSource;
  readonly resourceVersion: string;
}

type Logged =
  | { readonly version: number; readonly source: StreamEvent<SourceVersion>; readonly labels: Labels }
  | { readonly version: number; readonly workload: StreamEvent<LiveWorkload> }
  | { readonly version: number; readonly namespace: StreamEvent<LabelledNamespace> };

/** An API server as the engine sees one: reads, conditional writes, lists and watches; with its write log open to tests. */
export class MemoryCluster implements ClusterApi, ClusterStreams {
  readonly cluster: string;
  readonly writes: ClusterWrite[] = [];
  readonly calls: ClusterCall[] = [];
  readonly #options: MemoryClusterOptions;
  readonly #workloads = new Map<string, StoredWorkload>();
  readonly #sources = new Map<string, StoredSource>();
  readonly #namespaces = new Map<string, LabelledNamespace>();
  readonly #log: Logged[] = [];
  readonly #streams = new Set<StreamControl>();
  #version = 100;

  constructor(options: MemoryClusterOptions) {
    this.#options = options;
    this.cluster = options.cluster ?? "c1";
  }

  // What people do.

  /** Who writes sources: their field manager. */
  writer = "people";

  /** The pods there are, whoever asks for some. */
  pods: readonly object[] = [];

  /** Where people make things. */
  namespace = "ns";

  setNamespace(name: string, labels: Labels): void {
    this.#namespaces.set(name, { name, labels });
    this.#version += 1;
    this.#changed({ version: this.#version, namespace: { type: "upsert", object: { name, labels } } });
  }

  deleteNamespace(name: string): void {
    this.#namespaces.delete(name);
    this.#version += 1;
    this.#changed({ version: this.#version, namespace: { type: "delete", object: { name, labels: {} } } });
  }

  setSource(kind: SourceKind, name: string, data: Annotations, annotations: Annotations = {}): SourceRef {
    const ref = { kind, namespace: this.namespace, name };
    const before = this.#sources.get(sourceKey(ref))?.live;
    const { createdAtSeconds, labels } = before ?? { createdAtSeconds: this.#now, labels: {} };
    const content = contentOf(data);
    this.#putSource({ ref, annotations, labels, createdAtSeconds, content }, "upsert");
    return ref;
  }

  labelSource(ref: SourceRef, labels: Labels): void {
    const stored = this.#sources.get(sourceKey(ref));
    if (stored !== undefined) this.#putSource({ ...stored.live, labels }, "upsert");
  }

  /** What shows a content came to be at that time; an undefined content is shown by nothing. */
  showSource(ref: SourceRef, data: Annotations | undefined, asOfSeconds: number): void {
    const content = data === undefined ? undefined : contentOf(data);
    const before = { ref, annotations: {}, labels: {}, createdAtSeconds: this.#now };
    const { live } = this.#sources.get(sourceKey(ref)) ?? { live: before };
    this.#putSource({ ...live, content, asOfSeconds }, "upsert");
  }

  deleteSource(ref: SourceRef): void {
    const stored = this.#sources.get(sourceKey(ref));
    if (stored !== undefined) this.#putSource(stored.live, "delete");
  }

  setWorkload(name: string, change: Omit<WorkloadChange, "by">, kind = "Deployment"): WorkloadRef {
    const ref = { kind, namespace: this.namespace, name };
    const before = this.#workloads.get(workloadKey(ref));
    this.#putWorkload(ref, before, { ...change, by: "people" });
    return ref;
  }

  /** Any object with a pod template, from its manifest. */
  setObject(kind: string, name: string, manifest: object): WorkloadRef {
    return this.setWorkload(name, changeOf(manifest, { kind, namespace: "ns", name }), kind);
  }

  deleteWorkload(ref: WorkloadRef): void {
    this.#removeWorkload(ref, "people");
  }

  /** A controller reports on a rollout: the workload has a new version, and nothing that we read is different. */
  touchStatus(ref: WorkloadRef): void {
    const before = this.#workloads.get(workloadKey(ref));
    if (before !== undefined) this.#storeWorkload({ ...before, resourceVersion: this.#nextVersion() });
  }

  /** Its controller writes what it has come to; like the real ones it says which generation that is about. */
  setStatus(ref: WorkloadRef, status: object): void {
    const before = this.#workloads.get(workloadKey(ref));
    if (before === undefined) return;
    const { generation } = before;
    const metadata = { ...objectAt(before.object, "metadata"), generation };
    const object = { ...before.object, metadata, status: { observedGeneration: generation, ...status } };
    this.#storeWorkload({ ...before, object, resourceVersion: this.#nextVersion() });
  }

  /** Finalizers hold a deletion up. */
  startDeleting(ref: WorkloadRef): void {
    const before = this.#workloads.get(workloadKey(ref));
    if (before !== undefined)
      this.#storeWorkload({ ...before, resourceVersion: this.#nextVersion(), isDeleting: true });
  }

  // What tests look at.

  workload(ref: WorkloadRef): LiveWorkload | undefined {
    return this.#workloads.get(workloadKey(ref));
  }

  source(ref: SourceRef): (LiveSource & SourceVersion) | undefined {
    const stored = this.#sources.get(sourceKey(ref));
    return stored && { ...stored.live, resourceVersion: stored.resourceVersion };
  }

  get workloadRefs(): readonly WorkloadRef[] {
    return [...this.#workloads.values()].map(({ ref }) => ref);
  }

  get sourceRefs(): readonly SourceRef[] {
    return [...this.#sources.values()].map(({ live }) => live.ref);
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

  /** Every watch is cut and what it has not delivered yet is lost to it: each lists again. */
  cutWatches(): void {
    for (const stream of this.#streams) stream.cut();
  }

  /** Events are held back until `resumeWatches`. */
  holdWatches(): void {
    for (const stream of this.#streams) stream.hold();
  }

  resumeWatches(): void {
    for (const stream of this.#streams) stream.resume();
  }

  /** Each watch delivers its last events once more, with the versions they had then. */
  replayEvents(count: number): void {
    for (const stream of this.#streams) stream.replay(count);
  }

  // What the engine asks for.

  async readWorkload(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined> {
    return await this.#call({ verb: "read", target: workloadKey(ref) }, signal, () => {
      const stored = this.#workloads.get(workloadKey(ref));
      return stored && this.#seen(stored);
    });
  }

  async readSource(ref: SourceRef, signal: AbortSignal): Promise<LiveSource | undefined> {
    const read = () => this.#sources.get(sourceKey(ref))?.live;
    return await this.#call({ verb: "read", target: sourceKey(ref) }, signal, read);
  }

  async listSourceNames(
    kind: SourceKind,
    namespace: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    return await this.#call({ verb: "list", target: `${kind}/${namespace}` }, signal, () =>
      this.sourceRefs
        .filter((ref) => ref.kind === kind && ref.namespace === namespace && this.#isServed(ref))
        .map(({ name }) => name),
    );
  }

  async listPods(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly unknown[]> {
    const target = `Pod/${namespace}?${labelSelector}`;
    return await this.#call({ verb: "list", target }, signal, () => this.pods);
  }

  async readNamespaceLabels(namespace: string, signal: AbortSignal): Promise<Labels | undefined> {
    const target = `Namespace/${namespace}`;
    return await this.#call({ verb: "read", target }, signal, () => this.#namespaces.get(namespace)?.labels);
  }

  async patchWorkload(
    ref: WorkloadRef,
    patch: WorkloadPatch,
    signal: AbortSignal,
  ): Promise<LiveWorkload | undefined> {
    return await this.#call({ verb: "patch", target: workloadKey(ref) }, signal, () => {
      const before = this.#workloads.get(workloadKey(ref));
      if (before === undefined) return undefined;
      if (before.resourceVersion !== patch.resourceVersion)
        throw new Fault("kube.conflict", "the object has been modified");
      const { template: edit, annotations, isPaused, fields } = patch;
      const admit = this.#options.admit ?? ((template: unknown) => template);
      const template = edit === undefined ? undefined : admit(applyEdit(before.template, edit));
      return this.#putWorkload(ref, before, {
        annotations,
        ...(isPaused === undefined ? {} : { isPaused }),
        ...(edit === undefined ? {} : { template }),
        ...(fields === undefined ? {} : { fields }),
        by: "us",
      });
    });
  }

  async createWorkload({ ref, object }: NewObject, signal: AbortSignal): Promise<LiveWorkload> {
    return await this.#call({ verb: "create", target: workloadKey(ref) }, signal, () => {
      const before = this.#workloads.get(workloadKey(ref));
      return before ?? this.#putWorkload(ref, undefined, { ...changeOf(object, ref), by: "us" });
    });
  }

  async deleteExactly(ref: WorkloadRef, exactly: Exactly, signal: AbortSignal): Promise<void> {
    await this.#call({ verb: "delete", target: workloadKey(ref) }, signal, () => {
      const before = this.#workloads.get(workloadKey(ref));
      if (before === undefined) return;
      const version = exactly.resourceVersion ?? before.resourceVersion;
      if (before.uid !== exactly.uid || before.resourceVersion !== version)
        throw new Fault("kube.conflict", "a precondition does not hold");
      if (arrayAt(before.object, "metadata", "finalizers").length > 0) this.startDeleting(ref);
      else this.#removeWorkload(ref, "us");
    });
  }

  workloads(
    { kind }: Pick<WorkloadKind, "kind">,
    handler: StreamHandler<LiveWorkload>,
    namespace?: string,
  ): Stream {
    const isIn = ({ ref }: LiveWorkload) =>
      ref.kind === kind && (namespace ?? ref.namespace) === ref.namespace;
    return this.#stream(handler, {
      list: () => [...this.#workloads.values()].filter(isIn).map((one) => this.#seen(one)),
      since: (version) =>
        this.#log.flatMap((entry) =>
          entry.version > version && "workload" in entry && isIn(entry.workload.object)
            ? [{ ...entry.workload, object: this.#seen(entry.workload.object) }]
            : [],
        ),
    });
  }

  sources(kind: SourceKind, handler: StreamHandler<SourceVersion>, namespace?: string): Stream {
    const isIn = ({ ref }: SourceVersion) =>
      ref.kind === kind && (namespace ?? ref.namespace) === ref.namespace;
    return this.#stream(handler, {
      list: () =>
        [...this.#sources.values()]
          .map(versionOf)
          .filter((source) => isIn(source) && this.#isServed(source.ref)),
      since: (version) =>
        this.#log.flatMap((entry) => {
          if (entry.version <= version || !("source" in entry) || !isIn(entry.source.object)) return [];
          // To a watch with a selector, what does not match it any more is deleted.
          return [this.#isSelected(entry.labels) ? entry.source : { ...entry.source, type: "delete" }];
        }),
    });
  }

  namespaces(handler: StreamHandler<LabelledNamespace>): Stream {
    return this.#stream(handler, {
      list: () => [...this.#namespaces.values()],
      since: (version) =>
        this.#log.flatMap((entry) =>
          entry.version > version && "namespace" in entry ? [entry.namespace] : [],
        ),
    });
  }

  #isServed(ref: SourceRef): boolean {
    return this.#isSelected(this.#sources.get(sourceKey(ref))?.live.labels ?? {});
  }

  #isSelected(labels: Labels): boolean {
    const selector = parseLabelSelector(this.#options.sourceSelector ?? "");
    if ("problem" in selector) throw new Error(selector.problem);
    return matchesSelector(selector, labels);
  }

  /** With the template of the object it refers to, if it does. */
  #seen(workload: LiveWorkload): LiveWorkload {
    const kind = knownKinds.find((known) => known.kind === workload.ref.kind);
    const owner = kind?.templateOwner?.(workload.object);
    const found = owner && this.#workloads.get(workloadKey(owner));
    return found === undefined ? workload : withTemplateOf(workload, found);
  }

  #removeWorkload(ref: WorkloadRef, by: ClusterWrite["by"]): void {
    const before = this.#workloads.get(workloadKey(ref));
    if (before === undefined) return;
    this.#workloads.delete(workloadKey(ref));
    this.#version += 1;
    this.#changed({ version: this.#version, workload: { type: "delete", object: before } });
    this.#logWrite(by, workloadKey(ref), before, undefined);
  }

  get #now(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #nextVersion(): string {
    this.#version += 1;
    return String(this.#version);
  }

  async #call<T>(call: ClusterCall, signal: AbortSignal, perform: () => T): Promise<T> {
    this.calls.push(call);
    await this.#options.before?.(call);
    if (signal.aborted) throw new Fault("engine.aborted", "stopped while talking to the API server");
    const answer = perform();
    await this.#options.after?.(call);
    return answer;
  }

  #putSource(live: LiveSource, type: "upsert" | "delete"): void {
    const resourceVersion = this.#nextVersion();
    const by = { manager: this.writer, operation: "Update", atSeconds: this.#now };
    const isShown = live.ref.kind === "SecretProviderClass";
    const stored = { live: isShown ? live : { ...live, write: { resourceVersion, by } }, resourceVersion };
    if (type === "delete") this.#sources.delete(sourceKey(live.ref));
    else this.#sources.set(sourceKey(live.ref), stored);
    this.#changed({
      version: this.#version,
      source: { type, object: versionOf(stored) },
      labels: live.labels,
    });
    this.#logWrite("people", sourceKey(live.ref), undefined, undefined);
  }

  #putWorkload(ref: WorkloadRef, before: StoredWorkload | undefined, change: WorkloadChange): LiveWorkload {
    const after = writtenWorkload(ref, before, change, {
      nowSeconds: this.#now,
      nextVersion: () => this.#nextVersion(),
    });
    if (after === before) return after;
    this.#storeWorkload(after);
    this.#logWrite(change.by, workloadKey(ref), before, after);
    return after;
  }

  #storeWorkload(workload: StoredWorkload): void {
    this.#workloads.set(workloadKey(workload.ref), workload);
    this.#changed({ version: this.#version, workload: { type: "upsert", object: workload } });
  }

  #logWrite(
    by: ClusterWrite["by"],
    target: string,
    before: LiveWorkload | undefined,
    after: LiveWorkload | undefined,
  ): void {
    const isTemplateChanged = after !== undefined && !isSame(before?.template, after.template);
    this.writes.push({ at: this.#options.clock.now(), by, target, isTemplateChanged, before, after });
  }

  #changed(entry: Logged): void {
    this.#log.push(entry);
    for (const stream of this.#streams) stream.wake();
  }

  #stream<T>(
    handler: StreamHandler<T>,
    from: {
      readonly list: () => readonly T[];
      readonly since: (version: number) => readonly StreamEvent<T>[];
    },
  ): Stream {
    const { clock } = this.#options;
    const stream = new MemoryStream<T>({ ...from, handler, clock, version: () => this.#version });
    return {
      run: async (signal) => {
        this.#streams.add(stream);
        await stream.run(signal);
        this.#streams.delete(stream);
      },
    };
  }
}

function contentOf(data: Annotations): SourceContent {
  const bytes = Object.entries(data).map(([key, value]) => [key, new TextEncoder().encode(value)] as const);
  return { data: new Map(bytes), binaryData: new Map() };
}

function versionOf({ live, resourceVersion }: StoredSource): SourceVersion {
  return { ref: live.ref, resourceVersion };
}
