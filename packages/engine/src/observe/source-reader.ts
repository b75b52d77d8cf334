import type { AppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { judge } from "@fleet-reloader/domain/decision/judge";
import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { matchesSelector, parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { ClusterApi, LiveSource, LiveWorkload } from "../ports/cluster-api.ts";
import type { Settings } from "../ports/settings.ts";
import { type Interest, namesMatching } from "./interest.ts";
import { LiveSources } from "./live-sources.ts";
import type { NameMatches } from "./name-matches.ts";

/** What this process saw of a workload when it last looked at it, or wrote to it. */
interface Visit {
  readonly sources: readonly SourceRef[];
  readonly note: string | undefined;
  readonly generation: number;
}

/** Reads of sources that began before the workload was read. */
export interface ReadsAhead {
  readonly since: Visit | undefined;
  readonly reads: ReadonlyMap<string, Promise<LiveSource | undefined>>;
}

export interface SourceReader {
  /** Begins to read what the workload was interested in last time, while the workload itself is still being read. */
  readAhead(api: ClusterApi, workload: WorkloadRef): ReadsAhead;
  /** Reads what the workload is interested in, as it is now, and leaves out what does not count. */
  look(reading: SourceReading): Promise<readonly ObservedSource[]>;
  /** The workload is like this now: what was read or written last. */
  remember(api: ClusterApi, live: LiveWorkload, seen: Pick<Visit, "sources" | "note">): void;
}

export interface SourceReading {
  readonly api: ClusterApi;
  readonly live: LiveWorkload;
  readonly interest: Interest;
  readonly note: string | undefined;
  readonly applied: AppliedState | undefined;
  readonly ahead: ReadsAhead;
}

export interface SourceReaderOptions {
  readonly settings: Pick<Settings, "reloadOnDelete" | "scope">;
  readonly names: NameMatches;
  /** Reads are shared by all who ask at the same time, so they end with the process and not with one who asked. */
  readonly lifetime: AbortSignal;
}

/** Workloads whose sources are remembered; of those forgotten the first read is a round trip later. */
const rememberedMax = 5000;

/** Of a workload with more sources the others are read when it has been read: they take longer than that anyway. */
const aheadMax = 16;

export function createSourceReader({ settings, names, lifetime }: SourceReaderOptions): SourceReader {
  const isServed = servedBy(settings.scope.sourceSelector);
  const isNotedLookedUp = settings.reloadOnDelete || settings.scope.sourceSelector !== undefined;
  const sources = new LiveSources(lifetime);
  const visits = new Map<string, Visit>();
  const identity = (api: ClusterApi, workload: WorkloadRef) => `${api.cluster}/${workloadKey(workload)}`;

  return { readAhead, look, remember };

  function readAhead(api: ClusterApi, workload: WorkloadRef): ReadsAhead {
    const since = visits.get(identity(api, workload));
    const reads = (since?.sources ?? []).slice(0, aheadMax).map((source) => {
      const reading = sources.read(api, source);
      // Nobody may need it in the end; whoever does hears of its failure.
      reading.catch(() => undefined);
      return [sourceKey(source), reading] as const;
    });
    return { since, reads: new Map(reads) };
  }

  async function look(reading: SourceReading): Promise<readonly ObservedSource[]> {
    const { api, live, interest, note, applied, ahead } = reading;
    const { namespace } = live.ref;
    // A content read before the workload may be older than what another worker has rolled it to in between, and must then
    // not be taken for a change. Nobody has rolled it when note and generation are those of our last visit.
    const isSafe = ahead.since?.note === note && ahead.since?.generation === live.generation;
    const reads: ReadsAhead["reads"] = isSafe ? ahead.reads : new Map();
    remember(api, live, { sources: interest.candidates, note });
    const wanted = new Map(
      interest.candidates.map((ref): [string, Wanted] => [
        sourceKey(ref),
        { ref, patterns: [], isNamed: interest.named.has(sourceKey(ref)) },
      ]),
    );
    for (const kind of interest.patternKinds) {
      const listed = await sources.names(api, kind, namespace);
      // What is noted and not in the list is gone, or no longer served: which of them, only a read tells.
      const all = new Set([...listed, ...(isNotedLookedUp ? notedNames(applied, kind) : [])]);
      for (const [name, patterns] of await namesMatching(interest, kind, { listed: [...all], names })) {
        const ref = { kind, namespace, name };
        if (!wanted.has(sourceKey(ref))) wanted.set(sourceKey(ref), { ref, patterns, isNamed: true });
      }
    }
    const lives = await readWanted(api, [...wanted.values()], { reads, interest });
    return [...wanted].flatMap(([key, { ref, patterns, isNamed }]) => {
      const observed = observedSourceOf(ref, lives.get(key), interest, isNamed);
      return observed === undefined ? [] : [{ ...observed, patterns }];
    });
  }

  async function readWanted(
    api: ClusterApi,
    wanted: readonly Wanted[],
    { reads, interest }: Pick<ReadsAhead, "reads"> & { readonly interest: Interest },
  ): Promise<ReadonlyMap<string, LiveSource>> {
    const rest = wanted.map(({ ref }) => ref).filter((ref) => !reads.has(sourceKey(ref)));
    // Whoever looks up patterns may list the kind; of another there may only be a right to read by name.
    const mayList = (kind: SourceKind) =>
      kind !== "SecretProviderClass" && interest.patternKinds.includes(kind);
    const found = new Map(await sources.readAll(api, rest, mayList));
    for (const { ref } of wanted) {
      const live = await reads.get(sourceKey(ref));
      if (live !== undefined) found.set(sourceKey(ref), live);
    }
    return found;
  }

  function remember(
    api: ClusterApi,
    live: LiveWorkload,
    { sources, note }: Pick<Visit, "sources" | "note">,
  ): void {
    const key = identity(api, live.ref);
    visits.delete(key);
    visits.set(key, { sources, note, generation: live.generation });
    const [oldest] = visits.keys();
    if (visits.size > rememberedMax && oldest !== undefined) visits.delete(oldest);
  }

  function observedSourceOf(
    ref: SourceRef,
    live: LiveSource | undefined,
    interest: Interest,
    isNamed: boolean,
  ): Omit<ObservedSource, "patterns"> | undefined {
    const { optIn } = interest;
    const reference = interest.references.get(sourceKey(ref));
    // What is not there cannot say that it does not match: it is noted as absent, and asked when it appears.
    const annotations = live?.annotations ?? { [optIn.dialect.match]: "true" };
    const decision = judge({ optIn, source: { ref, annotations }, reference, isNamed });
    const frozenBy = live && frozenByAnnotation(live.annotations);
    return decision.reload
      ? {
          ref,
          mode: decision.mode,
          reference,
          live: seen(live),
          ...(frozenBy === undefined ? {} : { frozenBy }),
        }
      : undefined;
  }

  function seen(live: LiveSource | undefined): ObservedSource["live"] {
    if (live === undefined) return undefined;
    const { content, createdAtSeconds, writtenAtSeconds, isModified, resourceVersion } = live;
    const { asOfSeconds, write } = live;
    if (content === undefined || !isServed(live)) return "unseen";
    return {
      ...{ content, createdAtSeconds, writtenAtSeconds, isModified, resourceVersion },
      ...(asOfSeconds === undefined ? {} : { asOfSeconds }),
      ...(write === undefined ? {} : { write }),
    };
  }
}

/** A source to look at, and the name patterns that alone lead to it. */
interface Wanted {
  readonly ref: SourceRef;
  readonly patterns: readonly string[];
  /** An annotation names it, in full or by a pattern. */
  readonly isNamed: boolean;
}

/** Whether the labels of a source are those asked for. The watch asks the server; a read by name has to look itself. */
function servedBy(selector: string | undefined): (live: LiveSource) => boolean {
  const parsed = parseLabelSelector(selector ?? "");
  if ("problem" in parsed) throw new Error(`settings hold a label selector that is none: ${parsed.problem}`);
  return ({ labels }) => matchesSelector(parsed, labels);
}

function notedNames(applied: AppliedState | undefined, kind: SourceKind): readonly string[] {
  const prefix = `${kind}/`;
  return [...(applied?.sources.keys() ?? [])]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
