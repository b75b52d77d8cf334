import { Fault } from "@fleet-reloader/domain/fault";
import { madeOnce } from "@fleet-reloader/domain/made-once";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type {
  Checkpoints,
  IndexEntry,
  IndexSession,
  ReferenceIndex,
  SourceChange,
  SourceVersion,
} from "@fleet-reloader/engine/ports/reference-index";
import type { SeenInterest, ServedRecord } from "@fleet-reloader/engine/ports/workload-records";
import { keyPrefix } from "@fleet-reloader/engine/watch/frozen-watch";

interface State {
  readonly engagedAtSeconds: number;
  readonly entries: Map<string, IndexEntry>;
  readonly unpublished: Set<string>;
  readonly handled: Map<string, SourceVersion>;
  readonly served: Map<string, ServedRecord>;
  readonly seen: Map<string, SeenInterest>;
  readonly unreconciled: Set<string>;
}

export interface MemoryReferenceIndexOptions {
  readonly clock: Clock;
  readonly matches: (item: string, name: string) => boolean;
  /** Asked before each call; what it throws or rejects with is the call's failure. */
  readonly before?: (call: string) => Promise<void> | void;
}

/** The reference index, checkpoints and session of one cluster, in memory. A test can read them and wipe them. */
export class MemoryReferenceIndex implements ReferenceIndex, Checkpoints, IndexSession {
  readonly #options: MemoryReferenceIndexOptions;
  /** What would be in Redis; undefined after a flush. */
  #stored: State | undefined;
  #opened: State | undefined;
  /** Notes that were written last: workers write them also where no watcher has opened the state anew yet. */
  readonly applied = new Map<string, { readonly appliedText: string; readonly atSeconds: number }>();
  /** Since when a roll of a workload is held, in seconds. */
  readonly held = new Map<string, number>();

  constructor(options: MemoryReferenceIndexOptions) {
    this.#options = options;
  }

  /** All is gone, as after FLUSHALL. */
  wipe(): void {
    this.#stored = undefined;
    this.applied.clear();
    this.held.clear();
  }

  /** What is remembered of single workloads is gone, and nothing else. */
  wipeRecords(): void {
    this.applied.clear();
    this.held.clear();
    this.#stored?.seen.clear();
  }

  /** Keys of the workloads it knows, sorted. */
  get workloads(): readonly string[] {
    return [...(this.#stored?.entries.keys() ?? [])].sort();
  }

  handled(ref: SourceRef): string | undefined {
    return this.#stored?.handled.get(sourceKey(ref))?.resourceVersion;
  }

  async open(): Promise<{ engagedAtSeconds: number }> {
    await this.#options.before?.("open");
    this.#stored ??= {
      engagedAtSeconds: Math.floor(this.#options.clock.now() / 1000),
      entries: new Map(),
      unpublished: new Set(),
      handled: new Map(),
      served: new Map(),
      seen: new Map(),
      unreconciled: new Set(),
    };
    this.#opened = this.#stored;
    return { engagedAtSeconds: this.#stored.engagedAtSeconds };
  }

  /** What `MemoryWorkloadRecords` reads and writes; undefined after a flush. */
  get records(): Pick<State, "served" | "seen" | "unreconciled"> | undefined {
    return this.#stored;
  }

  async served(stream: string): Promise<ServedRecord | undefined> {
    return (await this.#state("served")).served.get(stream);
  }

  async serve(stream: string, record: ServedRecord): Promise<void> {
    (await this.#state("serve")).served.set(stream, record);
  }

  async unreconciled(): Promise<number> {
    return (await this.#state("unreconciled")).unreconciled.size;
  }

  async verify(): Promise<void> {
    await this.#state("verify");
  }

  async put(entries: readonly IndexEntry[]): Promise<readonly IndexEntry[]> {
    const state = await this.#state("put");
    return entries.filter((entry) => {
      const key = workloadKey(entry.workload);
      const { seen, ...kept } = entry;
      const before = state.entries.get(key);
      if (before === undefined || text(before) !== text(kept)) {
        state.unpublished.add(key);
        state.unreconciled.add(key);
        const shown = eventAfter(before, state.seen.get(key), entry);
        if (shown === undefined) state.seen.delete(key);
        else state.seen.set(key, shown);
      }
      state.entries.set(key, kept);
      return state.unpublished.has(key);
    });
  }

  async markPublished(workloads: readonly WorkloadRef[]): Promise<void> {
    const state = await this.#state("markPublished");
    for (const workload of workloads) state.unpublished.delete(workloadKey(workload));
  }

  async remove(workloads: readonly WorkloadRef[]): Promise<void> {
    const state = await this.#state("remove");
    for (const workload of workloads) this.#forget(state, workloadKey(workload));
  }

  async keys(kind: string, namespace: string | undefined): Promise<ReadonlySet<string>> {
    const { entries } = await this.#state("keys");
    return new Set([...entries.keys()].filter((key) => key.startsWith(keyPrefix(kind, namespace))));
  }

  async retain(kind: string, namespace: string | undefined, keys: ReadonlySet<string>): Promise<void> {
    const state = await this.#state("retain");
    for (const key of state.entries.keys())
      if (key.startsWith(keyPrefix(kind, namespace)) && !keys.has(key)) this.#forget(state, key);
  }

  async retainServed(isServed: (workload: WorkloadRef) => boolean): Promise<void> {
    const state = await this.#state("retainServed");
    for (const [key, { workload }] of state.entries) if (!isServed(workload)) this.#forget(state, key);
  }

  async findChanged(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]> {
    const state = await this.#state("findChanged");
    return sources.flatMap((source) => {
      const handled = state.handled.get(sourceKey(source.ref))?.resourceVersion;
      if (handled === source.resourceVersion) return [];
      const isFirst = handled === undefined || handled === "expected";
      const dependents = [...state.entries.values()]
        .filter((entry) => this.#uses(entry, source.ref))
        .map(({ workload, window }) => ({ workload, window }));
      return dependents.length === 0 ? [] : [{ source, isFirst, dependents }];
    });
  }

  async markHandled(sources: readonly SourceVersion[]): Promise<void> {
    const state = await this.#state("markHandled");
    for (const source of sources) state.handled.set(sourceKey(source.ref), source);
  }

  async expect(sources: readonly SourceRef[]): Promise<void> {
    const state = await this.#state("expect");
    for (const ref of sources) {
      if (!state.handled.has(sourceKey(ref)))
        state.handled.set(sourceKey(ref), { ref, resourceVersion: "expected" });
    }
  }

  async handledSources(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    const state = await this.#state("handledSources");
    return [...state.handled.values()]
      .map(({ ref }) => ref)
      .filter((ref) => ref.kind === kind && (namespace ?? ref.namespace) === ref.namespace);
  }

  async forget(sources: readonly SourceRef[]): Promise<void> {
    const state = await this.#state("forget");
    for (const source of sources) state.handled.delete(sourceKey(source));
  }

  #forget(state: State, key: string): void {
    if (!state.entries.delete(key)) return;
    for (const kept of [state.unpublished, state.seen, this.applied, this.held, state.unreconciled])
      kept.delete(key);
  }

  #uses({ workload, sources, patterns }: IndexEntry, source: SourceRef): boolean {
    if (workload.namespace !== source.namespace) return false;
    return (
      sources.includes(sourceKey(source)) ||
      patterns.some(({ kind, item }) => kind === source.kind && this.#options.matches(item, source.name))
    );
  }

  async #state(call: string): Promise<State> {
    await this.#options.before?.(call);
    const state = this.#stored;
    if (state === undefined || state !== this.#opened)
      throw new Fault("redis.state-lost", "the index is not the one that was opened");
    return state;
  }
}

/** The event that is stored with an entry which differs from the one before, where this one is stored with that. */
function eventAfter(
  before: IndexEntry | undefined,
  stored: SeenInterest | undefined,
  entry: IndexEntry,
): SeenInterest | undefined {
  const { seen } = entry;
  if (before === undefined || !sharesInterest(before, entry)) return seen;
  if (stored === undefined) return interestText(before) === interestText(entry) ? undefined : seen;
  return seen === undefined || seen.uid === stored.uid ? stored : seen;
}

function sharesInterest(one: IndexEntry, other: IndexEntry): boolean {
  return (
    one.sources.some((source) => other.sources.includes(source)) ||
    one.patterns.some((its) =>
      other.patterns.some(({ kind, item }) => kind === its.kind && item === its.item),
    )
  );
}

/** All of an entry but the generation in its scope and the window. */
function interestText({ workload, sources, patterns, scope }: IndexEntry): string {
  return text({ workload, sources, patterns, scope: scope.replaceAll(/\[\d+,\[/g, "[0,["), window: {} });
}

const text = madeOnce((entry: IndexEntry): string => {
  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const inOrder = (a: unknown, b: unknown) => (textOf(a) < textOf(b) ? -1 : 1);
  return JSON.stringify(entry, (_, value: unknown) =>
    Array.isArray(value) && value.length > 1 ? value.toSorted(inOrder) : value,
  );
});
