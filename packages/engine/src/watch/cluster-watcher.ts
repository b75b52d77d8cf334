import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { Clock } from "../async/clock.ts";
import { type LinkedAbort, linkedAbort } from "../async/linked-abort.ts";
import type { Semaphore } from "../async/semaphore.ts";
import { servedKind } from "../observe/eligibility-of.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { selectorOf } from "../observe/namespace-scope.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Checkpoints, IndexSession, ReferenceIndex } from "../ports/reference-index.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import { isSettled, type StreamState } from "../ports/source-stream.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { AdoptionWait } from "./adoption-wait.ts";
import { ClusterSession } from "./cluster-session.ts";
import type { ClusterStreams } from "./cluster-streams.ts";
import { RequestPublisher } from "./sources/request-publisher.ts";
import type { SourcePublisher } from "./sources/source-publisher.ts";

export interface ClusterWatcherOptions {
  readonly cluster: ClusterId;
  /** What people call it: in logs and metrics. The id is what everything else goes by. */
  readonly name: string;
  readonly streams: ClusterStreams;
  readonly index: ReferenceIndex;
  readonly checkpoints: Checkpoints;
  readonly session: IndexSession;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly names: NameMatches;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** For the first lists of a life: those of a whole fleet at once would be held in memory at once. */
  readonly semaphore: Semaphore;
  /** Each workload that opts in is audited once in this time; 0, or absent: never. */
  readonly auditIntervalMs?: number;
  /** Called whenever all streams are in sync. */
  readonly onInSync?: () => void;
  /** Publishes changed sources, given when we were first engaged; absent: as requests for the workloads that use them. */
  readonly createPublisher?: ((engagedAtSeconds: number) => SourcePublisher) | undefined;
}

/** Where one stream stands, for readiness and for people. */
export interface StreamStatus {
  /** The kind; where several namespaces are served one by one, `kind in namespace`. */
  readonly resource: string;
  readonly state: StreamState;
  readonly why: string;
}

/** How soon a flushed Redis is noticed when nothing happens. */
const verifyEveryMs = 1000;
const restartAfterMs = 250;
const patienceMs = 2000;
/** No kind is served, so no worker observes a workload, whatever an earlier configuration left in the index. */
const nothingToAdopt = { unreconciled: async () => 0 };

/** Watches one cluster: workloads into the index, changed sources into the queue. */
export class ClusterWatcher {
  readonly #options: ClusterWatcherOptions;
  readonly #statuses = new Map<string, StreamStatus>();
  /** Of the session under way. */
  #adoption: AdoptionWait | undefined;
  /** Ends our turn, while we have it. */
  #endTurn = (): void => undefined;

  constructor(options: ClusterWatcherOptions) {
    this.#options = options;
  }

  get statuses(): readonly StreamStatus[] {
    return [...this.#statuses.values()];
  }

  /** Every stream has listed and is watching, or has nothing to list. */
  get isInSync(): boolean {
    const { workloadKinds, sourceKinds, scope } = this.#options.settings;
    const perNamespace = workloadKinds.length + sourceKinds.length;
    const expected = perNamespace * this.#namespaces.length + (selectorOf(scope) === undefined ? 0 : 1);
    return this.#statuses.size === expected && this.statuses.every((status) => isSettled(status.state));
  }

  /** The streams have been in sync, and workers have looked at whatever was new or different then. */
  get isAdopted(): boolean {
    return this.#adoption?.isOver ?? false;
  }

  /** How far adoption is, for people. */
  get adoption(): string {
    return this.#adoption?.progress ?? "streams are starting";
  }

  /** What the streams are over: each namespace of the scope, or all in one. */
  get #namespaces(): readonly (string | undefined)[] {
    return this.#options.settings.scope.namespaces ?? [undefined];
  }

  /** Runs until the signal is aborted. Whenever the index is lost it begins anew: list and compare, never guess. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, name, log, meter } = this.#options;
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
        over.abort();
        session.abort();
        session[Symbol.dispose]();
        this.#statuses.clear();
        this.#adoption = undefined;
      }
    }
  }

  /** Rejects some time after the end was asked for: while Redis is away nothing that waits for it can end. */
  async #endOfPatience(signal: AbortSignal, over: AbortSignal): Promise<never> {
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
    });
    await this.#options.clock.sleep(patienceMs, over);
    throw new Fault("engine.aborted", "stopped while Redis did not answer");
  }

  /** One life of the index. Rejects when it ends. */
  async #session(session: LinkedAbort): Promise<void> {
    const { signal } = session;
    const { engagedAtSeconds } = await this.#options.session.open();
    await this.#forgetUnserved();
    const lost = Promise.withResolvers<never>();
    // The streams below may fail first; then nobody waits for this one.
    lost.promise.catch(() => undefined);
    const ended = Promise.race([lost.promise, this.#verify(signal)]);
    const streams = new ClusterSession({
      ...this.#options,
      signal,
      onLost: lost.reject,
      publisher: this.#createPublisher(engagedAtSeconds),
      onState: (...given) => this.#note(...given),
    });
    const adoption = this.#createAdoptionWait(signal);
    this.#adoption = adoption;
    try {
      this.#endTurn = await Promise.race([this.#options.semaphore.take(signal), ended]);
      await Promise.race([streams.start(), ended]);
      await ended;
    } finally {
      session.abort();
      this.#endTurn();
      // A list of this life that ended late would take out what the next one has put in.
      await streams.ended();
      await adoption.ended();
    }
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

  /** A kind that was served before and is no more: its workloads are nobody's dependents. */
  async #forgetUnserved(): Promise<void> {
    const { index, settings } = this.#options;
    for (const { kind } of knownKinds) {
      if (servedKind(kind, settings) !== undefined) continue;
      for (const namespace of this.#namespaces) await index.retain(kind, namespace, new Set());
    }
  }

  async #verify(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#options.clock.sleep(verifyEveryMs, signal);
      await this.#options.session.verify();
    }
  }

  #note(kind: string, namespace: string | undefined, state: StreamState, why: string): void {
    const resource = namespace === undefined ? kind : `${kind} in ${namespace}`;
    const before = this.#statuses.get(resource)?.state;
    this.#statuses.set(resource, { resource, state, why });
    if (this.isInSync) {
      this.#endTurn();
      this.#adoption?.begin();
    }
    if (before === state) return;
    // One number for a kind, however many namespaces are served: it is in sync when all of them are.
    const ofKind = this.statuses.filter((status) => status.resource.split(" in ")[0] === kind);
    const behind = ofKind.find((status) => !isSettled(status.state));
    this.#options.meter.streamState(this.#options.name, kind, behind?.state ?? state);
    this.#options.log.debug({ resource, state, why }, "stream state");
    if (this.isInSync) this.#options.onInSync?.();
  }
}
