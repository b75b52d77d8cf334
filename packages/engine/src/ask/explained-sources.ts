import type { OptIn } from "@fleet-reloader/domain/annotation/opt-in";
import { type AppliedState, parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import type { YesReason } from "@fleet-reloader/domain/decision/reasons";
import { keysThatMatter, localName, type ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import { collectReferences, type Reference } from "@fleet-reloader/domain/reference/collect";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import { type Interest, type JudgedSource, judgeFor, namedByOwner } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { type UnmatchedName, unmatchedNames } from "../observe/unmatched-names.ts";
import type { ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";
import type { Settings } from "../ports/settings.ts";
import type { ExplainedCause, ExplainedSource } from "./explanation.ts";

/** A workload, and the observation of its sources. */
export interface ExplainedWorkload {
  readonly api: ClusterApi;
  readonly live: LiveWorkload;
  readonly interest: Interest;
  readonly appliedText: string | undefined;
  readonly observedSources: readonly ObservedSource[];
  readonly causes: readonly ExplainedCause[];
}

interface ExplainedWith {
  readonly keys: Keyring;
  readonly settings: Pick<Settings, "sourceKinds">;
  readonly names: NameMatches;
}

/** Every source that the workload counts, references or names, sorted by name. */
export async function explainedSources(
  workload: ExplainedWorkload,
  asked: ExplainedWith,
  signal: AbortSignal,
): Promise<readonly ExplainedSource[]> {
  const { api, live, interest, observedSources } = workload;
  const applied = parseAppliedState(workload.appliedText, asked.keys);
  const rolls = new Map(workload.causes.map(({ source, reason }) => [sourceKey(source), reason]));
  const names = await namesBeside(api, observedSources, signal);
  const counting = observedSources.map((observed) =>
    countingSource(observed, { optIn: interest.optIn, applied, rolls, names }),
  );
  const known = new Set(observedSources.map(({ ref }) => sourceKey(ref)));
  const references = collectReferences(interest.template, live.ref.namespace);
  const others = new Map(
    [...references.map(({ source }) => source), ...interest.candidates].map((ref) => [sourceKey(ref), ref]),
  );
  const left = [...others].filter(([key]) => !known.has(key));
  const leftRefs = left.map(([, ref]) => ref);
  const ofOwner = await namedByOwner(interest, leftRefs, asked.names);
  const uncounted = left.map(([key, ref]) => {
    const reference = references.find(({ source }) => sourceKey(source) === key);
    const uncounted = { ref, reference, applied, isNamedByOwner: ofOwner.has(key) };
    return uncountedSource(uncounted, { api, interest, settings: asked.settings, signal });
  });
  const listed = async (kind: SourceKind) => await listedNames(api, kind, live.ref.namespace, signal);
  const question = { api, namespace: live.ref.namespace, interest, listed, names: asked.names, signal };
  const unmatched = (await unmatchedNames(question)).map((one) => unmatchedSource(one, applied));
  return [...counting, ...(await Promise.all(uncounted)), ...unmatched].sort((a, b) =>
    localName(a.source) < localName(b.source) ? -1 : 1,
  );
}

interface Beside {
  readonly optIn: OptIn;
  readonly applied: AppliedState | undefined;
  readonly rolls: ReadonlyMap<string, RollReason>;
  readonly names: ReadonlyMap<SourceKind, readonly string[]>;
}

function countingSource(observed: ObservedSource, { optIn, applied, rolls, names }: Beside): ExplainedSource {
  const { ref, reference, live, frozenBy } = observed;
  const nearest = live === undefined ? likelyName(ref.name, names.get(ref.kind) ?? []) : undefined;
  const reason = rolls.get(sourceKey(ref));
  return {
    source: ref,
    counts: true,
    reason: yesReasonOf(observed, optIn),
    keys: keysThatMatter(observed),
    uses: reference?.uses ?? [],
    isOptional: reference?.optional ?? true,
    state: live === undefined ? "missing" : live === "unseen" ? "unseen" : "present",
    applied: appliedOf(ref, applied),
    ...(nearest === undefined ? {} : { nearest }),
    ...(reason === undefined ? {} : { rolls: reason }),
    ...(frozenBy === undefined ? {} : { frozenBy }),
  };
}

function yesReasonOf({ mode, ref }: ObservedSource, { kinds }: OptIn): YesReason {
  if (mode === "named") return "NamedByAnnotation";
  if (mode === "search") return "MatchedBySearch";
  const { auto, autoForKind } = kinds[ref.kind];
  if (auto) return "AutoEnabled";
  return autoForKind ? "AutoEnabledForKind" : "AutoReloadAll";
}

function appliedOf(ref: SourceRef, applied: AppliedState | undefined): ExplainedSource["applied"] {
  return applied?.sources.get(localName(ref))?.type ?? "none";
}

interface Uncounted extends Pick<JudgedSource, "isNamedByOwner"> {
  readonly ref: SourceRef;
  readonly reference: Reference | undefined;
  readonly applied: AppliedState | undefined;
}

/** Only the annotations of such a source are read. */
async function uncountedSource(
  { ref, reference, applied, isNamedByOwner }: Uncounted,
  {
    api,
    interest,
    settings,
    signal,
  }: Pick<ExplainedWorkload, "api" | "interest"> & {
    readonly settings: Pick<Settings, "sourceKinds">;
    readonly signal: AbortSignal;
  },
): Promise<ExplainedSource> {
  const isServed = settings.sourceKinds.includes(ref.kind);
  const annotations = isServed ? await api.readSourceAnnotations(ref, signal) : {};
  const isNamed = interest.named.has(sourceKey(ref));
  const decision = judgeFor(interest, { ref, annotations, reference, isNamed, isNamedByOwner });
  return {
    source: ref,
    // A source that counts was not observed here: another object controls the workload, or nothing is known of it.
    counts: isServed && decision.reload,
    reason: isServed ? decision.reason : "SourceKindNotServed",
    keys: reference?.keys ?? "all",
    uses: reference?.uses ?? [],
    isOptional: reference?.optional ?? true,
    state: "unread",
    applied: appliedOf(ref, applied),
  };
}

/** The names of all sources of each kind with a missing source; none if they may not be listed. */
async function namesBeside(
  api: ClusterApi,
  observedSources: readonly ObservedSource[],
  signal: AbortSignal,
): Promise<ReadonlyMap<SourceKind, readonly string[]>> {
  const missing = observedSources.filter(({ live }) => live === undefined);
  const byKind = Map.groupBy(missing, ({ ref }) => ref.kind);
  const listed = [...byKind].map(async ([kind, [first]]) => {
    const namespace = first?.ref.namespace ?? "";
    return [kind, await listedNames(api, kind, namespace, signal)] as const;
  });
  return new Map(await Promise.all(listed));
}

/** The names of all sources of a kind; none if they may not be listed. */
async function listedNames(
  api: ClusterApi,
  kind: SourceKind,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return await api.listSourceNames(kind, namespace, signal).catch(() => []);
}

/** A name that is parsed as a pattern and matches no source. */
function unmatchedSource(
  { ref, nearest }: UnmatchedName,
  applied: AppliedState | undefined,
): ExplainedSource {
  return {
    source: ref,
    counts: true,
    reason: "NamedByAnnotation",
    keys: "all",
    uses: [],
    isOptional: true,
    state: "missing",
    applied: appliedOf(ref, applied),
    ...(nearest === undefined ? {} : { nearest }),
  };
}
