import type { AppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { matchesSelector, parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import type { ClusterApi, LiveSource, LiveWorkload } from "../ports/cluster-api.ts";
import { requestKey } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import { type Interest, type JudgedSource, judgeFor, namedByOwner, namesMatching } from "./interest.ts";
import { LiveSources } from "./live-sources.ts";
import type { NameMatches } from "./name-matches.ts";

/** The state of a workload when this process last observed or wrote it. */
interface Visit {
  readonly sources: readonly SourceRef[];
  readonly appliedText: string | undefined;
  readonly generation: number;
}

/** Reads of sources that began before the workload was read. */
export interface ReadsAhead {
  readonly since: Visit | undefined;
  readonly reads: ReadonlyMap<string, Promise<LiveSource | undefined>>;
}

export const nothingAhead: ReadsAhead = { since: undefined, reads: new Map() };

export interface SourceReading {
  readonly api: ClusterApi;
  readonly live: LiveWorkload;
  readonly interest: Interest;
  readonly appliedText: string | undefined;
  readonly applied: AppliedState | undefined;
  readonly ahead: ReadsAhead;
  /** Its reads may wait a moment for other callers that ask for the same sources. A handling may set it once. */
  readonly mayWait: boolean;
}

/** The present sources of a workload. */
export interface ObservedSources {
  /** Sources that count. */
  readonly observedSources: readonly ObservedSource[];
  /** Sources that only their own annotations keep from counting. */
  readonly setAside: readonly ObservedSource[];
}

export interface SourceReaderOptions {
  readonly settings: Pick<Settings, "reloadOnDelete" | "scope">;
  readonly names: NameMatches;
  readonly clock: Clock;
  /** Ends reads when the process stops. Everything that asks at the same time shares them. */
  readonly lifetime: AbortSignal;
}

/**
 * All reads of one observation together wait at most this long for others, in milliseconds, however many sources it has: less than half
 * of the 250 ms after which a cluster without answers looks hung to the gate.
 */
const sharedWaitMs = 100;

/** The number of workloads whose sources are remembered. A forgotten workload's first read comes a round trip later. */
const observedMax = 5000;

/** The most sources that are read ahead. Further ones are read after the workload, and take longer anyway. */
const aheadMax = 16;

/** Reads the sources of workloads, and remembers which sources each workload had at the last visit. */
export class SourceReader {
  readonly #names: NameMatches;
  readonly #isServed: (live: LiveSource) => boolean;
  readonly #areAppliedRead: boolean;
  readonly #sources: LiveSources;
  readonly #clock: Clock;
  readonly #visits = new RecentMap<string, Visit>(observedMax);

  constructor({ settings, names, clock, lifetime }: SourceReaderOptions) {
    this.#names = names;
    this.#clock = clock;
    this.#isServed = servedBy(settings.scope.sourceSelector);
    this.#areAppliedRead = settings.reloadOnDelete || settings.scope.sourceSelector !== undefined;
    this.#sources = new LiveSources(lifetime, clock);
  }

  /** Begins to read the sources of the last visit, while the workload itself is still being read. */
  readAhead(api: ClusterApi, workload: WorkloadRef): ReadsAhead {
    const since = this.#visits.get(requestKey({ cluster: api.cluster, workload }));
    const reads = (since?.sources ?? []).slice(0, aheadMax).map((source) => {
      const reading = this.#sources.read(api, source);
      // The read may not be needed. A caller that needs it gets its failure.
      reading.catch(() => undefined);
      return [sourceKey(source), reading] as const;
    });
    return { since, reads: new Map(reads) };
  }

  /** Monotonic: when the last read of the source began. Undefined: an annotation froze it, or the read is long ago. */
  unfrozenAtMs(api: Pick<ClusterApi, "cluster">, ref: SourceRef): number | undefined {
    return this.#sources.unfrozenAtMs(api, ref);
  }

  /** Reads the present sources that the workload is interested in. */
  async observe(reading: SourceReading): Promise<ObservedSources> {
    const { api, live, interest, appliedText, ahead, mayWait } = reading;
    const untilMs = mayWait ? this.#clock.monotonic() + sharedWaitMs : undefined;
    // A content read before the workload may be older than the content that another worker has since rolled it to, and must not count as
    // a change. No roll came in between if applied state and generation are those of our last visit.
    const isSafe = ahead.since?.appliedText === appliedText && ahead.since?.generation === live.generation;
    const reads: ReadsAhead["reads"] = isSafe ? ahead.reads : new Map();
    this.remember(api, live, { sources: interest.candidates, appliedText });
    const wanted = await this.#wantedOf(reading);
    const lives = await this.#readWanted(api, [...wanted.values()], { reads, interest, untilMs });
    const refs = [...wanted.values()].map(({ ref }) => ref);
    const ofOwner = await namedByOwner(interest, refs, this.#names);
    const read = [...wanted].flatMap(([key, one]) => {
      const named = { ...one, isNamedByOwner: ofOwner.has(key) };
      return this.#observed(named, lives.get(key), interest) ?? [];
    });
    const observedSources = read.filter(({ counts }) => counts).map(({ observed }) => observed);
    const setAside = read.filter(({ counts }) => !counts).map(({ observed }) => observed);
    return { observedSources, setAside };
  }

  /** Remembers the workload as it was last read or written. */
  remember(
    api: ClusterApi,
    live: Pick<LiveWorkload, "ref" | "generation">,
    { sources, appliedText }: Pick<Visit, "sources" | "appliedText">,
  ): void {
    const key = requestKey({ cluster: api.cluster, workload: live.ref });
    this.#visits.set(key, { sources, appliedText, generation: live.generation });
  }

  /** The sources that may count: candidates of the workload, and those that its patterns match. */
  async #wantedOf({ api, live, interest, applied }: SourceReading): Promise<ReadonlyMap<string, Wanted>> {
    const { namespace } = live.ref;
    const wanted = new Map(
      interest.candidates.map((ref): [string, Wanted] => [
        sourceKey(ref),
        { ref, patterns: [], isNamed: interest.named.has(sourceKey(ref)) },
      ]),
    );
    for (const kind of interest.patternKinds) {
      const listed = await this.#sources.names(api, kind, namespace);
      // A source that was applied and is not listed is gone, or is no longer served. Only a read shows which.
      const all = new Set([...listed, ...(this.#areAppliedRead ? appliedNames(applied, kind) : [])]);
      const matching = await namesMatching(interest, kind, { listed: [...all], names: this.#names });
      for (const [name, patterns] of matching) {
        const ref = { kind, namespace, name };
        if (!wanted.has(sourceKey(ref))) wanted.set(sourceKey(ref), { ref, patterns, isNamed: true });
      }
    }
    return wanted;
  }

  async #readWanted(
    api: ClusterApi,
    wanted: readonly Wanted[],
    { reads, interest, untilMs }: WantedReads,
  ): Promise<ReadonlyMap<string, LiveSource>> {
    const rest = wanted.map(({ ref }) => ref).filter((ref) => !reads.has(sourceKey(ref)));
    // A kind with patterns may be listed. For another kind there may only be a right to read by name.
    const mayList = (kind: SourceKind) =>
      kind !== "SecretProviderClass" && interest.patternKinds.includes(kind);
    const found = new Map(await this.#sources.readAll(api, rest, mayList, untilMs));
    for (const { ref } of wanted) {
      const live = await reads.get(sourceKey(ref));
      if (live !== undefined) found.set(sourceKey(ref), live);
    }
    return found;
  }

  /** Undefined: it does not count, whatever its own annotations are. */
  #observed(
    { ref, patterns, isNamed, isNamedByOwner }: NamedSource,
    live: LiveSource | undefined,
    interest: Interest,
  ): { readonly observed: ObservedSource; readonly counts: boolean } | undefined {
    const reference = interest.references.get(sourceKey(ref));
    const decisionBy = (annotations: Annotations | undefined) =>
      judgeFor(interest, { ref, annotations, reference, isNamed, isNamedByOwner });
    const own = decisionBy(live?.annotations);
    const decision = own.reload ? own : decisionBy({ [interest.optIn.dialect.match]: "true" });
    if (!decision.reload) return undefined;
    const observed = { ref, mode: decision.mode, reference, patterns, live: this.#seen(live) };
    const frozenBy = live && frozenByAnnotation(live.annotations);
    return { observed: frozenBy === undefined ? observed : { ...observed, frozenBy }, counts: own.reload };
  }

  #seen(live: LiveSource | undefined): ObservedSource["live"] {
    if (live === undefined) return undefined;
    const { content, createdAtSeconds, writtenAtSeconds, isModified, resourceVersion } = live;
    const { asOfSeconds, write } = live;
    if (content === undefined || !this.#isServed(live)) return "unseen";
    return {
      content,
      createdAtSeconds,
      writtenAtSeconds,
      isModified,
      resourceVersion,
      ...(asOfSeconds === undefined ? {} : { asOfSeconds }),
      ...(write === undefined ? {} : { write }),
    };
  }
}

/** A source to read, with the name patterns if only these lead to it. */
interface Wanted {
  readonly ref: SourceRef;
  readonly patterns: readonly string[];
  /** An annotation names it, in full or by a pattern. */
  readonly isNamed: boolean;
}

interface NamedSource extends Wanted, Pick<JudgedSource, "isNamedByOwner"> {}

/** How the wanted sources are read. */
interface WantedReads extends Pick<ReadsAhead, "reads"> {
  readonly interest: Interest;
  /** Monotonic: how long the reads wait for other callers. */
  readonly untilMs: number | undefined;
}

/** Whether the labels of a source match the selector. The server selects for a watch; a read by name selects here. */
function servedBy(selector: string | undefined): (live: LiveSource) => boolean {
  const parsed = parseLabelSelector(selector ?? "");
  if ("problem" in parsed)
    throw new Error(`the label selector of the settings cannot be read: ${parsed.problem}`);
  return ({ labels }) => matchesSelector(parsed, labels);
}

function appliedNames(applied: AppliedState | undefined, kind: SourceKind): readonly string[] {
  const prefix = `${kind}/`;
  return [...(applied?.sources.keys() ?? [])]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
