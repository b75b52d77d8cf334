import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import {
  type Labels,
  matchesSelector,
  parseLabelSelector,
} from "@fleet-reloader/domain/workload/label-selector";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { withTemplateOf } from "@fleet-reloader/engine/observe/template-owner";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { LabelledNamespace } from "@fleet-reloader/engine/watch/namespace-watch";
import { type StoredSource, versionOf, type WrittenSource, writtenSource } from "./memory-source.ts";
import { MemoryStream, type StreamControl } from "./memory-stream.ts";
import { isSame, type StoredWorkload, type WorkloadChange, writtenWorkload } from "./memory-workload.ts";

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

/** Controllers and kubelets: what they have to do they have done before the next write, and then hear of it. */
export interface StoreObserver {
  catchUp(): void;
  wrote(write: ClusterWrite): void;
}

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** The label selector that sources are listed and watched with. */
  readonly sourceSelector?: string;
}

type Logged =
  | { readonly version: number; readonly source: StreamEvent<SourceVersion>; readonly labels: Labels }
  | { readonly version: number; readonly workload: StreamEvent<LiveWorkload> }
  | { readonly version: number; readonly namespace: StreamEvent<LabelledNamespace> };

/** What an API server stores: the objects with their versions, who wrote what, and the watches of it. */
export class MemoryStore implements ClusterStreams {
  readonly writes: ClusterWrite[] = [];
  readonly workloadsByKey = new Map<string, StoredWorkload>();
  readonly sourcesByKey = new Map<string, StoredSource>();
  readonly namespacesByName = new Map<string, LabelledNamespace>();
  /** Who writes sources: their field manager. */
  writer = "people";
  observer: StoreObserver | undefined;
  readonly #options: MemoryStoreOptions;
  readonly #log: Logged[] = [];
  /** With the kind that each is a watch of. */
  readonly #streams = new Map<StreamControl, string>();
  #version = 100;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  setNamespace(name: string, labels: Labels): void {
    this.namespacesByName.set(name, { name, labels });
    this.#version += 1;
    this.#changed("Namespace", {
      version: this.#version,
      namespace: { type: "upsert", object: { name, labels } },
    });
  }

  deleteNamespace(name: string): void {
    this.namespacesByName.delete(name);
    this.#version += 1;
    this.#changed("Namespace", {
      version: this.#version,
      namespace: { type: "delete", object: { name, labels: {} } },
    });
  }

  workloads(
    { kind }: Pick<WorkloadKind, "kind">,
    handler: StreamHandler<LiveWorkload>,
    namespace?: string,
  ): Stream {
    const isIn = ({ ref }: LiveWorkload) =>
      ref.kind === kind && (namespace ?? ref.namespace) === ref.namespace;
    return this.#stream(kind, handler, {
      list: () => [...this.workloadsByKey.values()].filter(isIn).map((one) => this.seen(one)),
      since: (version) =>
        this.#loggedSince(version).flatMap((entry) =>
          "workload" in entry && isIn(entry.workload.object)
            ? [{ ...entry.workload, object: this.seen(entry.workload.object) }]
            : [],
        ),
    });
  }

  sources(kind: SourceKind, handler: StreamHandler<SourceVersion>, namespace?: string): Stream {
    const isIn = ({ ref }: SourceVersion) =>
      ref.kind === kind && (namespace ?? ref.namespace) === ref.namespace;
    return this.#stream(kind, handler, {
      list: () =>
        [...this.sourcesByKey.values()]
          .map(versionOf)
          .filter((source) => isIn(source) && this.isServed(source.ref)),
      since: (version) =>
        this.#loggedSince(version).flatMap((entry) => {
          if (!("source" in entry) || !isIn(entry.source.object)) return [];
          // To a watch with a selector, what does not match it any more is deleted.
          return [this.#isSelected(entry.labels) ? entry.source : { ...entry.source, type: "delete" }];
        }),
    });
  }

  namespaces(handler: StreamHandler<LabelledNamespace>): Stream {
    return this.#stream("Namespace", handler, {
      list: () => [...this.namespacesByName.values()],
      since: (version) =>
        this.#loggedSince(version).flatMap((entry) => ("namespace" in entry ? [entry.namespace] : [])),
    });
  }

  /** The newest ones of a log that only grows: each watch asks for them at each write. */
  #loggedSince(version: number): readonly Logged[] {
    return this.#log.slice(this.#log.findLastIndex((entry) => entry.version <= version) + 1);
  }

  serverSeconds(): number {
    return this.now;
  }

  isServed(ref: SourceRef): boolean {
    return this.#isSelected(this.sourcesByKey.get(sourceKey(ref))?.live.labels ?? {});
  }

  #isSelected(labels: Labels): boolean {
    const selector = parseLabelSelector(this.#options.sourceSelector ?? "");
    if ("problem" in selector) throw new Error(selector.problem);
    return matchesSelector(selector, labels);
  }

  /** With the template of the object it refers to, if it does. */
  seen(workload: LiveWorkload): LiveWorkload {
    const kind = knownKinds.find((known) => known.kind === workload.ref.kind);
    const owner = kind?.templateOwner?.(workload.object);
    const found = owner && this.workloadsByKey.get(workloadKey(owner));
    return found === undefined ? workload : withTemplateOf(workload, found);
  }

  removeWorkload(ref: WorkloadRef, by: ClusterWrite["by"]): void {
    this.observer?.catchUp();
    const before = this.workloadsByKey.get(workloadKey(ref));
    if (before === undefined) return;
    this.workloadsByKey.delete(workloadKey(ref));
    this.#version += 1;
    this.#changed(ref.kind, { version: this.#version, workload: { type: "delete", object: before } });
    this.#logWrite(by, workloadKey(ref), before, undefined);
  }

  get now(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  nextVersion(): string {
    this.#version += 1;
    return String(this.#version);
  }

  putSource(written: WrittenSource, type: "upsert" | "delete"): void {
    this.observer?.catchUp();
    const before = this.sourcesByKey.get(sourceKey(written.ref));
    const isNew = before?.live.content === undefined ? ({ isNew: true } as const) : {};
    const stored = writtenSource(written, before, {
      nowSeconds: this.now,
      nextVersion: () => this.nextVersion(),
      writer: this.writer,
    });
    if (type === "delete") this.sourcesByKey.delete(sourceKey(written.ref));
    else this.sourcesByKey.set(sourceKey(written.ref), stored);
    this.#changed(written.ref.kind, {
      version: this.#version,
      source: { type, object: versionOf(stored), ...(type === "upsert" ? isNew : {}) },
      labels: written.labels,
    });
    this.#logWrite("people", sourceKey(written.ref), undefined, undefined);
  }

  putWorkload(ref: WorkloadRef, before: StoredWorkload | undefined, change: WorkloadChange): LiveWorkload {
    this.observer?.catchUp();
    const after = writtenWorkload(ref, before, change, {
      nowSeconds: this.now,
      nextVersion: () => this.nextVersion(),
    });
    if (after === before) return after;
    this.storeWorkload(after);
    this.#logWrite(change.by, workloadKey(ref), before, after);
    return after;
  }

  storeWorkload(workload: StoredWorkload): void {
    this.workloadsByKey.set(workloadKey(workload.ref), workload);
    const { kind } = workload.ref;
    this.#changed(kind, { version: this.#version, workload: { type: "upsert", object: workload } });
  }

  #logWrite(
    by: ClusterWrite["by"],
    target: string,
    before: LiveWorkload | undefined,
    after: LiveWorkload | undefined,
  ): void {
    // Every change of a template is a generation; so is one of the replicas.
    const isGeneration = after !== undefined && after.generation !== (before?.generation ?? 0);
    const isTemplateChanged = isGeneration && !isSame(after.template, before?.template);
    const write = { at: this.#options.clock.now(), by, target, isTemplateChanged, before, after };
    this.writes.push(write);
    this.observer?.wrote(write);
  }

  #changed(kind: string, entry: Logged): void {
    this.#log.push(entry);
    for (const [stream, its] of this.#streams) if (its === kind) stream.wake();
  }

  #stream<T>(
    kind: string,
    handler: StreamHandler<T>,
    from: {
      readonly list: () => readonly T[];
      readonly since: (version: number) => readonly StreamEvent<T>[];
    },
  ): Stream {
    const { clock } = this.#options;
    const stream = new MemoryStream<T>({ ...from, handler, clock, version: () => this.#version });
    return {
      run: async (signal, onState) => {
        this.#streams.set(stream, kind);
        await stream.run(signal, onState);
        this.#streams.delete(stream);
      },
    };
  }

  /** Every watch is cut and what it has not delivered yet is lost to it: each lists again. */
  cutWatches(): void {
    for (const stream of this.#streams.keys()) stream.cut();
  }

  /** Events are held back until `resumeWatches`. */
  holdWatches(): void {
    for (const stream of this.#streams.keys()) stream.hold();
  }

  resumeWatches(): void {
    for (const stream of this.#streams.keys()) stream.resume();
  }

  /** Each watch delivers its last events once more, with the versions they had then. */
  replayEvents(count: number): void {
    for (const stream of this.#streams.keys()) stream.replay(count);
  }
}
