import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { FrozenObjects } from "../admission/frozen-objects.ts";
import type { AnnotationView } from "../admission/hold-check.ts";
import { endedReason, type LinkedAbort, linkedAbort } from "../async/linked-abort.ts";
import type { Semaphore } from "../async/semaphore.ts";
import { mayServe, selectorOf, servedKind } from "../observe/served.ts";
import { reportLinesMax, type StreamLag } from "../ports/ownership.ts";
import { isSettled, type StreamState } from "../ports/source-stream.ts";
import { AdoptionWait } from "./adoption-wait.ts";
import { ClusterSession, type ClusterSessionOptions } from "./cluster-session.ts";
import { RequestPublisher } from "./sources/request-publisher.ts";
import type { SourcePublisher } from "./sources/source-publisher.ts";

/** Everything that a session needs, except for what the watcher creates for each session. */
export interface ClusterWatcherOptions
  extends Omit<ClusterSessionOptions, "publisher" | "frozen" | "signal" | "onLost" | "onState"> {
  /** Limits how many clusters make their first lists at the same time: the lists of a whole fleet would not fit in memory. */
  readonly semaphore: Semaphore;
  /** Called whenever all streams are in sync. */
  readonly onInSync?: () => void;
  /** Creates the publisher of changed sources for one life of the index. Absent: they become requests for the workloads that use them. */
  readonly createPublisher?: ((engagedAtSeconds: number) => SourcePublisher) | undefined;
}

/** The state of one stream, for readiness and for people. */
export interface StreamStatus {
  /** The kind, or `kind in namespace` for a stream over one namespace. */
  readonly resource: string;
  readonly state: StreamState;
  readonly why: string;
}

/** How soon a flushed Redis is detected when nothing else happens. */
const verifyEveryMs = 1000;
const restartAfterMs = 250;
const stallPatienceMs = 2000;
/** Streams that are behind for longer may stay so for long, and freezes may have ended meanwhile. A list of a large cluster takes seconds. */
const behindMaxMs = 60_000;
/** A shorter gap is not shown: API servers end each watch from time to time, and a list takes a moment. */
const lagShownMs = 10_000;
/** Without a served kind no worker reconciles a workload, whatever an earlier configuration left in the index. */
const nothingToAdopt = { unreconciled: async () => 0 };

/** Watches one cluster: puts workloads into the index and publishes changed sources. */
export class ClusterWatcher {
  readonly #options: ClusterWatcherOptions;
  readonly #statuses = new Map<string, StreamStatus>();
  readonly #frozen = new FrozenObjects();
  /** Undefined: every stream is in sync. */
  #behindSince: { readonly monotonicMs: number; readonly wallMs: number } | undefined;
  /** The wait of the current session. */
  #adoption: AdoptionWait | undefined;
  /** Releases the semaphore, while we hold it. */
  #endTurn = (): void => undefined;

  constructor(options: ClusterWatcherOptions) {
    this.#options = options;
    this.#behindSince = this.#now;
  }

  get statuses(): readonly StreamStatus[] {
    return [...this.#statuses.values()];
  }

  /** Every stream has listed and is watching, or its resource does not exist. */
  get isInSync(): boolean {
    const { workloadKinds, sourceKinds, scope } = this.#options.settings;
    const perNamespace = workloadKinds.length + sourceKinds.length;
    const expected = perNamespace * this.#namespaces.length + (selectorOf(scope) === undefined ? 0 : 1);
    return this.#statuses.size === expected && this.#statuses.values().every(({ state }) => isSettled(state));
  }

  /** The objects that annotations freeze, while every stream is in sync. Streams that list again are given time. */
  get annotations(): Exclude<AnnotationView, "elsewhere"> {
    if (this.isInSync) return this.#frozen;
    const behindMs = this.#now.monotonicMs - (this.#behindSince?.monotonicMs ?? 0);
    return behindMs < behindMaxMs ? "behind" : "unknown";
  }

  /** The streams have been in sync, and workers have reconciled every workload that was new or different then. */
  get isAdopted(): boolean {
    return this.#adoption?.isOver ?? false;
  }

  /** The progress of adoption, for people. */
  get adoption(): string {
    return this.#adoption?.progress ?? "streams are starting";
  }

  /** How far the streams are, for people. A stream that lists again for a moment is not behind. */
  get lag(): StreamLag {
    const behindMs = this.#now.monotonicMs - (this.#behindSince?.monotonicMs ?? 0);
    if (this.#behindSince === undefined || behindMs < lagShownMs)
      return { streams: this.#statuses.size, behindCount: 0, behind: [], behindSinceMs: undefined };
    const behind = this.statuses.filter(({ state }) => !isSettled(state));
    const lines = behind
      .slice(0, reportLinesMax)
      .map(({ resource, state, why }) => `${resource} is ${state} (${why})`);
    return {
      streams: this.#statuses.size,
      behindCount: behind.length,
      behind: lines,
      behindSinceMs: this.#behindSince.wallMs,
    };
  }

  get #now() {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
  }

  /** The namespaces of the streams: each one of the scope, or undefined for all in one. */
  get #namespaces(): readonly (string | undefined)[] {
    return this.#options.settings.scope.namespaces ?? [undefined];
  }

  /** Runs until the signal is aborted. After each loss of the index it starts a new session, which lists and compares everything. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, cluster, name, log, meter, shown } = this.#options;
    while (!signal.aborted) {
      const session = linkedAbort(signal);
      const over = new AbortController();
      try {
        const life = this.#session(session);
        await Promise.race([life, this.#endOfPatience(signal, over.signal)]);
      } catch (error) {
        if (signal.aborted) break;
        const fault = asFault(error);
        if (fault.code === "redis.state-lost") meter.stateLost(name);
        log.warn({ reason: fault.code, err: fault.message }, "watch begins anew");
        await clock.sleep(restartAfterMs, signal).catch(() => undefined);
      } finally {
        over.abort(endedReason);
        session.abort();
        session[Symbol.dispose]();
        shown?.leave(cluster);
        this.#statuses.clear();
        this.#behindSince ??= this.#now;
        this.#adoption = undefined;
      }
    }
  }

  /** Rejects some time after the abort: while Redis does not answer, a session that waits for it cannot end. */
  async #endOfPatience(signal: AbortSignal, over: AbortSignal): Promise<never> {
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
    });
    await this.#options.clock.sleep(stallPatienceMs, over);
    throw new Fault("engine.aborted", "stopped while Redis did not answer");
  }

  /** Runs one session, which lasts for one life of the index. Rejects when it ends. */
  async #session(session: LinkedAbort): Promise<void> {
    const { signal } = session;
    const { engagedAtSeconds } = await this.#options.session.open();
    await this.#forgetUnserved();
    const lost = Promise.withResolvers<never>();
    // The streams below may fail first; then nobody awaits this promise.
    lost.promise.catch(() => undefined);
    const ended = Promise.race([lost.promise, this.#verify(signal)]);
    const publisher = this.#createPublisher(engagedAtSeconds);
    const streams = this.#createSession({ publisher, signal, onLost: lost.reject });
    const adoption = this.#createAdoptionWait(signal);
    this.#adoption = adoption;
    try {
      this.#endTurn = await Promise.race([this.#options.semaphore.take(signal), ended]);
      await Promise.race([streams.start(), ended]);
      await ended;
    } finally {
      session.abort();
      this.#endTurn();
      // A late list of this session would remove entries that the next session has put.
      await streams.ended();
      await adoption.ended();
    }
  }

  #createSession({
    publisher,
    signal,
    onLost,
  }: Pick<ClusterSessionOptions, "publisher" | "signal" | "onLost">): ClusterSession {
    const { cluster, name, streams, index, checkpoints, session, queue } = this.#options;
    const { settings, names, clock, log, meter, shown, auditIntervalMs, onSelected } = this.#options;
    return new ClusterSession({
      cluster,
      name,
      streams,
      index,
      checkpoints,
      session,
      queue,
      settings,
      names,
      clock,
      log,
      meter,
      frozen: this.#frozen,
      shown,
      auditIntervalMs,
      onSelected,
      publisher,
      signal,
      onLost,
      onState: (...given) => this.#note(...given),
    });
  }

  #createPublisher(engagedAtSeconds: number): SourcePublisher {
    const { createPublisher, cluster, name, index, checkpoints, queue, settings, meter } = this.#options;
    return (
      createPublisher?.(engagedAtSeconds) ??
      new RequestPublisher({ cluster, name, index, checkpoints, queue, settings, meter })
    );
  }

  #createAdoptionWait(signal: AbortSignal): AdoptionWait {
    const { name, session, settings, clock, log, meter } = this.#options;
    const counted = settings.workloadKinds.length === 0 ? nothingToAdopt : session;
    return new AdoptionWait({ name, session: counted, clock, log, meter, signal });
  }

  /** Removes the workloads of kinds and namespaces that are no longer served: no stream lists them. */
  async #forgetUnserved(): Promise<void> {
    const { index, settings } = this.#options;
    await index.retainServed(
      ({ kind, namespace }) =>
        servedKind(kind, settings) !== undefined && mayServe(settings.scope, namespace),
    );
  }

  async #verify(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#options.clock.sleep(verifyEveryMs, signal);
      await this.#options.session.verify();
    }
  }

  #note(kind: string, namespace: string | undefined, state: StreamState, why: string): void {
    const resource = streamName(kind, namespace);
    const before = this.#statuses.get(resource)?.state;
    this.#statuses.set(resource, { resource, state, why });
    const { isInSync } = this;
    this.#behindSince = isInSync ? undefined : (this.#behindSince ?? this.#now);
    if (isInSync) {
      this.#endTurn();
      this.#adoption?.begin();
    }
    if (before === state) return;
    // One number per kind, however many namespaces are served: a kind is in sync when all its streams are.
    const ofKind = this.statuses.filter((status) => status.resource.split(" in ")[0] === kind);
    const behind = ofKind.find((status) => !isSettled(status.state));
    this.#options.meter.streamState(this.#options.name, kind, behind?.state ?? state);
    this.#options.log.debug({ resource, state, why }, "stream state");
    if (isInSync) this.#options.onInSync?.();
  }
}
