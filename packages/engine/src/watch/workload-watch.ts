import { parseWorkloadKey, type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock } from "../async/clock.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { ServedSince } from "../observe/served-since.ts";
import type { ShownWorkloads } from "../observe/shown-workloads.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { Checkpoints, IndexEntry, IndexSession, ReferenceIndex } from "../ports/reference-index.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { StreamEvent, StreamHandler } from "../ports/source-stream.ts";
import type { SeenInterest } from "../ports/workload-records.ts";
import type { Addition, Workqueue } from "../ports/workqueue.ts";
import {
  isKnownAs,
  isOptedIn,
  type KnownWorkload,
  knownOf,
  needsAdoption,
  printWithoutStatus,
  readWatchedWorkload,
  type WatchedWorkload,
  writerOfState,
} from "./watched-workload.ts";

export interface WorkloadWatchOptions {
  readonly cluster: ClusterId;
  readonly kind: WorkloadKind;
  /** The namespace that is listed and watched; undefined means all. */
  readonly namespace: string | undefined;
  readonly index: ReferenceIndex;
  readonly checkpoints: Pick<Checkpoints, "expect" | "markPublished">;
  readonly session: Pick<IndexSession, "served" | "serve">;
  readonly queue: Pick<Workqueue, "add">;
  readonly settings: Settings;
  readonly names: NameMatches;
  readonly clock: Clock;
  /** Keeps workloads for the worker of this process. Absent: this process has no worker. */
  readonly shown?: ShownWorkloads | undefined;
  /** The API server's time now, from `ClusterStreams`. */
  readonly serverSeconds: () => number | undefined;
  readonly onListed: () => void;
}

/** A workload that differs from what the watch remembers of it. */
interface FreshWorkload extends WatchedWorkload, KnownWorkload {
  /** Every entry of it that the events show, in order, with the event: a source may have changed between two of them. */
  readonly entries: readonly IndexEntry[];
}

/** Workloads that are in the index and have no request yet. */
interface Unpublished {
  readonly due: readonly WorkloadRef[];
  readonly different: readonly WorkloadRef[];
}

/** Every state of a workload that these events show, in order; none for a workload that was listed. */
type StatesOf = (workload: LiveWorkload) => readonly LiveWorkload[];

/** By then the worker that created a stash has removed it, unless the worker failed. */
const stashMs = 5000;

/**
 * Keeps the reference index in step with the workloads of one kind. Requests a reconcile of workloads that have to be adopted: new ones,
 * ones that changed their opt-in, and ones whose applied state is gone. Also requests one for a stash that a replacement left behind, and
 * for a workload whose annotations cannot be read.
 */
export class WorkloadWatch implements StreamHandler<LiveWorkload> {
  readonly #options: WorkloadWatchOptions;
  readonly #served: ServedSince;
  /** Remembered so that the ten status updates of a rollout cost nothing. */
  readonly #known = new Map<string, KnownWorkload>();
  readonly #entering = new Set<string>();
  #listed = new Set<string>();
  /** Pages of the first list, kept until it is complete. A list that follows a failed one does not show these as new. */
  #unpublished: Unpublished[] = [];
  /** No page of the list under way has come yet. */
  #isListNew = false;
  #hasListed = false;

  constructor(options: WorkloadWatchOptions) {
    const { kind, namespace, session, settings, clock, serverSeconds } = options;
    const workloadKind = kind.kind;
    this.#options = options;
    this.#served = new ServedSince({ workloadKind, namespace, session, settings, clock, serverSeconds });
  }

  listBegins(): void {
    this.#listed = new Set();
    this.#isListNew = true;
    this.#served.listBegins();
  }

  async page(workloads: readonly LiveWorkload[]): Promise<void> {
    for (const workload of workloads) this.#listed.add(workloadKey(workload.ref));
    this.#served.page(workloads);
    if (this.#isListNew) await this.#forgetUnindexed();
    this.#isListNew = false;
    const fresh = await this.#freshOf(workloads, () => []);
    // Before the first list is complete, no worker adopts a workload without an applied state: it would read it in vain.
    const isTooEarly = ({ writer }: FreshWorkload): boolean => !this.#hasListed && writer === "none";
    await this.#publish(await this.#putInto(fresh.filter((one) => !isTooEarly(one))));
    const tooEarly = fresh.filter(isTooEarly);
    if (tooEarly.length > 0) this.#unpublished.push(await this.#putInto(tooEarly));
    this.#remember(fresh);
  }

  async listed(): Promise<void> {
    const { index, kind, namespace, onListed } = this.#options;
    await this.#served.listed();
    await index.retain(kind.kind, namespace, this.#listed);
    for (const key of this.#known.keys()) if (!this.#listed.has(key)) this.#forget(key);
    this.#listed = new Set();
    for (const page of this.#unpublished) await this.#publish(page);
    this.#unpublished = [];
    this.#hasListed = true;
    onListed();
  }

  async events(events: readonly StreamEvent<LiveWorkload>[]): Promise<void> {
    const latest = [...new Map(events.map((event) => [workloadKey(event.object.ref), event])).values()];
    // Includes workloads that were deleted and created again: nothing is known of the new one.
    const gone = events.filter((event) => event.type === "delete").map((event) => event.object.ref);
    if (gone.length > 0) await this.#options.index.remove(gone);
    for (const workload of gone) this.#forget(workloadKey(workload));
    const states = Map.groupBy(events.filter(isUpsert), (event) => workloadKey(event.object.ref));
    const fresh = await this.#freshOf(
      latest.filter(isUpsert).map((event) => event.object),
      ({ ref }) => (states.get(workloadKey(ref)) ?? []).map(({ object }) => object),
    );
    await this.#publish(await this.#putInto(fresh));
    // Remembered last: after a failure the same event has to do all of this again.
    this.#remember(fresh);
  }

  /** The namespace is served from now on. Workloads that are listed before `entered` existed before. */
  enters(namespace: string): void {
    this.#entering.add(namespace);
  }

  entered(namespace: string): void {
    this.#entering.delete(namespace);
  }

  /** The namespace is no longer served: its workloads leave the index. */
  async leave(namespace: string): Promise<void> {
    const { index, kind } = this.#options;
    await index.retain(kind.kind, namespace, new Set());
    const prefix = `${kind.kind}/${namespace}/`;
    for (const key of this.#known.keys()) if (key.startsWith(prefix)) this.#forget(key);
  }

  /** Keys of the workloads that an audit covers: the request that cleans one up when it opts out may be lost, too. */
  *audited(): Iterable<string> {
    for (const [key, { shape, isLeft }] of this.#known) if (isLeft || isOptedIn(shape)) yield key;
  }

  /** Keys of the workloads that opt in to anything now. */
  *#optedIn(): Iterable<string> {
    for (const [key, { shape }] of this.#known) if (isOptedIn(shape)) yield key;
  }

  /** Brings the index in step with these workloads. It may fail halfway, so they are remembered only afterwards. */
  async #putInto(fresh: readonly FreshWorkload[]): Promise<Unpublished> {
    if (fresh.length === 0) return { due: [], different: [] };
    const { index } = this.#options;
    for (const { workload } of fresh) this.#known.delete(workloadKey(workload));
    const different = (await index.put(fresh.flatMap(({ entries }) => entries))).map(
      (entry) => entry.workload,
    );
    const keys = new Set(different.map(workloadKey));
    const isDifferent = ({ workload }: FreshWorkload): boolean => keys.has(workloadKey(workload));
    await this.#expectSources(fresh.filter(isDifferent));
    await index.remove(fresh.flatMap(({ entry, workload }) => (entry === undefined ? [workload] : [])));
    const stashes = fresh.filter(({ isStash }) => isStash);
    await this.#ask(stashes.map(refOf), "change", stashMs);
    return { due: fresh.filter((one) => needsAdoption(one, isDifferent(one))).map(refOf), different };
  }

  async #publish({ due, different }: Unpublished): Promise<void> {
    await this.#ask(due, "adoption", 0);
    if (different.length > 0) await this.#options.checkpoints.markPublished(different);
  }

  async #ask(workloads: readonly WorkloadRef[], purpose: Addition["purpose"], afterMs: number) {
    const { cluster, queue } = this.#options;
    const times = { quietPeriodMs: afterMs, maxWaitMs: afterMs };
    if (workloads.length > 0)
      await queue.add(workloads.map((workload) => ({ request: { cluster, workload }, ...times, purpose })));
  }

  #remember(fresh: readonly FreshWorkload[]): void {
    for (const { workload, shape, print, isLeft } of fresh)
      this.#known.set(workloadKey(workload), { shape, print, isLeft });
  }

  /** Runs before any worker notes that a source exists. Otherwise its deletion while nothing runs would leave no trace. */
  async #expectSources(workloads: readonly FreshWorkload[]): Promise<void> {
    const { checkpoints, settings } = this.#options;
    if (settings.reloadOnDelete) await checkpoints.expect(workloads.flatMap(({ sources }) => sources));
  }

  async #freshOf(workloads: readonly LiveWorkload[], statesOf: StatesOf): Promise<readonly FreshWorkload[]> {
    const fresh: FreshWorkload[] = [];
    for (const workload of workloads) {
      const key = workloadKey(workload.ref);
      const states = statesOf(workload);
      // Another writer's applied state came and went between two of ours. If this call fails, a list shows only the last state.
      if (states.length > 1 && states.some((state) => writerOfState(state) === "other"))
        this.#known.delete(key);
      // Hardly any of the many workloads in a list gets a status update next.
      const print = states.length === 0 ? undefined : printWithoutStatus(workload, this.#options.kind);
      const known = this.#known.get(key);
      if (known !== undefined && print !== undefined && known.print === print) {
        this.#show(workload, known);
        continue;
      }
      const watched = await this.#read(workload);
      const now = knownOf(watched, print);
      this.#show(workload, now);
      if (isKnownAs(known, watched, now)) this.#known.set(key, now);
      else
        fresh.push({ ...watched, ...now, entries: await this.#entriesOf(watched.entry, states, workload) });
    }
    return fresh;
  }

  #show(workload: LiveWorkload, { shape, print }: KnownWorkload): void {
    const { cluster, kind, shown } = this.#options;
    if (!isOptedIn(shape) || workload.isDeleting) shown?.forget(cluster, workload.ref);
    else shown?.show(cluster, workload, kind, print);
  }

  /**
   * A workload that is missing from the index counts as new, so that the pages put it back. An earlier watcher of the cluster may have
   * removed it: Redis accepts its removals even when they come late.
   */
  async #forgetUnindexed(): Promise<void> {
    const { index, kind, namespace } = this.#options;
    const [first] = this.#optedIn();
    if (first === undefined) return;
    const indexed = await index.keys(kind.kind, namespace);
    for (const key of this.#optedIn()) if (!indexed.has(key)) this.#known.delete(key);
  }

  #forget(key: string): void {
    const { cluster, shown } = this.#options;
    const workload = parseWorkloadKey(key);
    this.#known.delete(key);
    if (workload !== undefined) shown?.forget(cluster, workload);
  }

  /** None when the workload in its present state has none. */
  async #entriesOf(
    entry: IndexEntry | undefined,
    states: readonly LiveWorkload[],
    workload: LiveWorkload,
  ): Promise<readonly IndexEntry[]> {
    if (entry === undefined) return [];
    const seen = states.length === 0 ? this.#seenByEntering(workload) : seenIn(workload);
    const shown: IndexEntry[] = [];
    for (const state of states.slice(0, -1)) {
      const { entry: its } = await this.#read(state);
      if (its !== undefined && state.uid === workload.uid) shown.push({ ...its, seen: seenIn(state) });
    }
    return [...shown, seen === undefined ? entry : { ...entry, seen }];
  }

  /** A workload that existed before its namespace was served is adopted as it is. Within one second the order is unknown. */
  #seenByEntering({ ref, uid }: LiveWorkload): SeenInterest | undefined {
    const now = this.#options.serverSeconds();
    const isEntering = this.#entering.has(ref.namespace);
    return isEntering && now !== undefined ? { uid, atSeconds: now + 1 } : undefined;
  }

  #read(workload: LiveWorkload): Promise<WatchedWorkload> {
    return readWatchedWorkload(workload, this.#options.settings, this.#options.names);
  }
}

function seenIn({ uid, resourceVersion, writtenAtSeconds }: LiveWorkload): SeenInterest {
  return { uid, resourceVersion, atSeconds: writtenAtSeconds };
}

function refOf({ workload }: FreshWorkload): WorkloadRef {
  return workload;
}

function isUpsert(event: StreamEvent<LiveWorkload>): boolean {
  return event.type === "upsert";
}
