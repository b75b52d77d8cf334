import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { type SourceKind, sourceKey } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { FrozenObjects } from "../admission/frozen-objects.ts";
import type { Clock } from "../async/clock.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { mayServe, selectorOf } from "../observe/served.ts";
import type { ShownWorkloads } from "../observe/shown-workloads.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Checkpoints, IndexSession, ReferenceIndex, SourceVersion } from "../ports/reference-index.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { StateListener, StreamHandler, StreamState } from "../ports/source-stream.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { AuditSchedule } from "./audit-schedule.ts";
import type { ClusterStreams, Stream } from "./cluster-streams.ts";
import { FirstLists } from "./first-lists.ts";
import { keyPrefix, noteFrozen } from "./frozen-watch.ts";
import { CatchUps, listOnce, type NamespaceList } from "./namespace-catch-up.ts";
import { NamespaceGate, servedOnly } from "./namespace-gate.ts";
import { createNamespaceWatch, type NamespaceWatch } from "./namespace-watch.ts";
import type { SourcePublisher } from "./sources/source-publisher.ts";
import { SourceWatch, type SourceWatchOptions } from "./sources/source-watch.ts";
import { WorkloadWatch } from "./workload-watch.ts";

export interface ClusterSessionOptions {
  readonly cluster: ClusterId;
  /** The name of the cluster in logs and metrics. Everything else uses the id. */
  readonly name: string;
  readonly streams: ClusterStreams;
  readonly index: ReferenceIndex;
  readonly checkpoints: Checkpoints;
  readonly session: IndexSession;
  readonly publisher: SourcePublisher;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly names: NameMatches;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** The set of objects that an annotation freezes. */
  readonly frozen: FrozenObjects;
  /** Keeps workloads for the worker of this process. Absent: this process has no worker. */
  readonly shown?: ShownWorkloads | undefined;
  readonly signal: AbortSignal;
  /** Each workload that opts in is audited once in this time; 0 or absent: never. */
  readonly auditIntervalMs?: number | undefined;
  /** Called when the namespaces were listed, with how many the selector selects. */
  readonly onSelected?: ((count: number) => void) | undefined;
  /** Called when the opened index is lost, which ends the session. */
  readonly onLost: (fault: Fault) => void;
  /** `resource` is a kind; the namespace is undefined for a stream over all namespaces. */
  readonly onState: (
    resource: string,
    namespace: string | undefined,
    state: StreamState,
    why: string,
  ) => void;
}

/** The stream of one kind of workload, with its gate and its watch. */
interface WorkloadStream {
  readonly kind: Settings["workloadKinds"][number];
  readonly gate: NamespaceGate<LiveWorkload>;
  readonly watch: WorkloadWatch;
}

/** Starts and ends the streams of one cluster during one life of the index, in order: namespaces, workloads, sources. */
export class ClusterSession {
  readonly #options: ClusterSessionOptions;
  readonly #running: Promise<void>[] = [];
  readonly #firstLists: FirstLists;
  /** The kinds whose stream over all namespaces is refused. */
  readonly #refused = new Set<string>();
  #workloads: readonly WorkloadStream[] = [];
  /** Undefined before the other streams start: their first lists show a namespace that is selected before that. */
  #catchUps: CatchUps | undefined;
  /** Undefined when no namespace selector is set. */
  #selected: NamespaceWatch | undefined;

  constructor(options: ClusterSessionOptions) {
    this.#options = options;
    this.#firstLists = new FirstLists({ clock: options.clock, signal: options.signal });
  }

  /** Resolves when every stream has started. */
  async start(): Promise<void> {
    const { settings, signal } = this.#options;
    await this.#watchNamespaces();
    if (signal.aborted) return;
    const namespaces = settings.scope.namespaces ?? [undefined];
    this.#workloads = namespaces.flatMap((namespace) =>
      settings.workloadKinds.map((kind) => this.#watchWorkloads(kind, namespace)),
    );
    this.#catchUps = this.#createCatchUps();
    // With an incomplete index, a source that is in use may seem unused.
    await this.#firstLists.over();
    if (signal.aborted) return;
    for (const namespace of namespaces)
      for (const kind of settings.sourceKinds) this.#watchSources(kind, namespace);
    this.#audit();
  }

  /** Resolves when every stream has ended; the signal has to be aborted for that. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running, this.#catchUps?.ended()]);
  }

  readonly #isServed = (namespace: string): boolean => {
    return (
      mayServe(this.#options.settings.scope, namespace) && this.#selected?.isSelected(namespace) !== false
    );
  };

  /** Resolves when the served namespaces are known. No other stream may start before. */
  async #watchNamespaces(): Promise<void> {
    const { onSelected, settings } = this.#options;
    const { scope } = settings;
    const selector = selectorOf(scope);
    if (selector === undefined) return;
    const listed = Promise.withResolvers<void>();
    this.#selected = createNamespaceWatch({
      scope,
      selector,
      onEnter: (namespace) => void this.#catchUps?.enter(namespace),
      onLeave: (namespace) => this.#leave(namespace),
      onListed: (count) => {
        onSelected?.(count);
        listed.resolve();
      },
    });
    this.#run(this.#options.streams.namespaces(this.#guarded(this.#selected)), (state, why) =>
      this.#options.onState("Namespace", undefined, state, why),
    );
    await listed.promise;
  }

  #watchWorkloads(kind: WorkloadStream["kind"], namespace: string | undefined): WorkloadStream {
    const { streams, cluster, index, checkpoints, session, queue, settings, names, clock, shown } =
      this.#options;
    const first = this.#firstLists.add();
    const watch = new WorkloadWatch({
      cluster,
      kind,
      namespace,
      index,
      checkpoints,
      session,
      queue,
      settings,
      names,
      clock,
      shown,
      serverSeconds: () => streams.serverSeconds(),
      onListed: () => first.listed(),
    });
    const gate = new NamespaceGate(watch, this.#isServed);
    const noted = this.#notedWorkloads(kind.kind, namespace, gate);
    const listener = this.#listenerOf(kind.kind, namespace);
    this.#run(streams.workloads(kind, this.#guarded(noted), namespace), (state, why) => {
      listener(state, why);
      first.noteState(state);
    });
    return { kind, gate, watch };
  }

  #notedWorkloads(
    kind: string,
    namespace: string | undefined,
    handler: StreamHandler<LiveWorkload>,
  ): StreamHandler<LiveWorkload> {
    return noteFrozen(handler, {
      frozen: this.#options.frozen,
      keyOf: ({ ref }) => workloadKey(ref),
      isFrozen: ({ annotations }) => frozenByAnnotation(annotations) !== undefined,
      prefix: keyPrefix(kind, namespace),
    });
  }

  #watchSources(kind: SourceKind, namespace: string | undefined): void {
    const { streams, log } = this.#options;
    const watch = this.#createSourceWatch({
      kind,
      namespace,
      isListed: ({ namespace: its }) => this.#isServed(its),
      onListed: () => log.debug({ kind, namespace }, "sources compared"),
    });
    const noted = noteFrozen(servedOnly(watch, this.#isServed), {
      frozen: this.#options.frozen,
      keyOf: ({ ref }) => sourceKey(ref),
      isFrozen: (source) => source.isFrozen === true,
      prefix: keyPrefix(kind, namespace),
    });
    this.#run(streams.sources(kind, this.#guarded(noted), namespace), this.#listenerOf(kind, namespace), () =>
      watch.ended(),
    );
  }

  #listenerOf(kind: string, namespace: string | undefined): StateListener {
    return (state, why) => {
      this.#options.onState(kind, namespace, state, why);
      if (state === "blocked") this.#refused.add(kind);
      else if (state === "watching") this.#refused.delete(kind);
    };
  }

  #createSourceWatch(
    watched: Pick<SourceWatchOptions, "kind" | "namespace" | "isListed" | "onListed">,
  ): SourceWatch {
    const { name, publisher, settings, meter, clock, log, signal } = this.#options;
    return new SourceWatch(Object.assign({ name, publisher, settings, meter, clock, log, signal }, watched));
  }

  #audit(): void {
    const { auditIntervalMs: intervalMs = 0, cluster, queue, clock, log, signal } = this.#options;
    if (intervalMs === 0) return;
    const workloads = this.#workloads;
    const audited = function* () {
      for (const { watch } of workloads) yield* watch.audited();
    };
    const schedule = new AuditSchedule({ cluster, intervalMs, audited, queue, clock, log });
    this.#running.push(schedule.run(signal));
  }

  /** Lists a namespace that is served from now on: its workloads enter the index and its sources are compared, as after a gap. */
  #createCatchUps(): CatchUps {
    const { settings, log, clock, signal } = this.#options;
    return new CatchUps({
      workloads: this.#workloads.map((one) => this.#listsOfWorkloads(one)),
      sources: settings.sourceKinds.map((kind) => this.#listsOfSources(kind)),
      onServed: (namespace) => log.info({ namespace }, "namespace served"),
      clock,
      signal,
    });
  }

  #listsOfWorkloads({ kind, gate, watch }: WorkloadStream): NamespaceList {
    const { streams } = this.#options;
    return async (namespace, signal, onFailure) => {
      watch.enters(namespace);
      const start = (handler: StreamHandler<LiveWorkload>) =>
        streams.workloads(kind, this.#guarded(handler), namespace);
      const isRefusedEverywhere = () => this.#refused.has(kind.kind);
      await listOnce(start, gate.catchUp(namespace), signal, { onFailure, isRefusedEverywhere });
      watch.entered(namespace);
    };
  }

  #listsOfSources(kind: SourceKind): NamespaceList {
    const { streams } = this.#options;
    return async (namespace, signal, onFailure) => {
      const isListed = () => true;
      const watch = this.#createSourceWatch({ kind, namespace, isListed, onListed: () => undefined });
      const start = (handler: StreamHandler<SourceVersion>) =>
        streams.sources(kind, this.#guarded(handler), namespace);
      const isRefusedEverywhere = () => this.#refused.has(kind);
      await listOnce(start, servedOnly(watch, this.#isServed), signal, { onFailure, isRefusedEverywhere });
    };
  }

  /** The namespace is no longer served: its workloads leave the index. The annotations on them stay. */
  async #leave(namespace: string): Promise<void> {
    this.#catchUps?.leave(namespace);
    for (const { gate, watch } of this.#workloads) await gate.alone(() => watch.leave(namespace));
    this.#options.log.info({ namespace }, "namespace no longer served");
  }

  #run(stream: Stream, onState: StateListener, ended?: () => Promise<void>): void {
    this.#running.push(stream.run(this.#options.signal, onState).then(ended));
  }

  /** Reports the loss of the index, which ends the session. The reflector alone would retry for ever. */
  #guarded<T>(handler: StreamHandler<T>): StreamHandler<T> {
    const watch = async (work: Promise<void>): Promise<void> => {
      try {
        await work;
      } catch (error) {
        const fault = asFault(error);
        if (fault.code === "redis.state-lost") this.#options.onLost(fault);
        throw fault;
      }
    };
    return {
      listBegins: () => handler.listBegins(),
      page: (objects) => watch(handler.page(objects)),
      listed: () => watch(handler.listed()),
      events: (events) => watch(handler.events(events)),
    };
  }
}
