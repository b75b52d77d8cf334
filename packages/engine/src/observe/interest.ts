import { mayReload, type OptIn, readOptIn } from "@fleet-reloader/domain/annotation/opt-in";
import type { Debounce } from "@fleet-reloader/domain/debounce";
import { type Decision, judge, judgeFollower } from "@fleet-reloader/domain/decision/judge";
import { collectReferences, type Reference } from "@fleet-reloader/domain/reference/collect";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { type PodTemplate, parsePodTemplate } from "@fleet-reloader/domain/workload/pod-template";
import type { Annotations } from "@fleet-reloader/domain/workload/workload";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { IndexEntry } from "../ports/reference-index.ts";
import type { Settings } from "../ports/settings.ts";
import type { NameMatches } from "./name-matches.ts";
import { servedKind } from "./served.ts";

/** The sources that may matter to a workload, read from the workload alone. The annotations of the sources are applied when they are read. */
export interface Interest {
  readonly optIn: OptIn;
  readonly template: PodTemplate;
  readonly references: ReadonlyMap<string, Reference>;
  /** Keys of the sources that annotations name in full, and of the referenced sources that a pattern matches. */
  readonly named: ReadonlySet<string>;
  /** Sources that may count: referenced ones that the workload opts in to, and exact names in annotations. */
  readonly candidates: readonly SourceRef[];
  /** Kinds with name patterns: all names of the kind in the namespace are matched against them. */
  readonly patternKinds: readonly SourceKind[];
  /** The interest of the object it refers to for its pod template, if a roll of that object rolls the workload too. */
  readonly owner: Interest | undefined;
}

export async function readInterest(
  workload: LiveWorkload,
  settings: Settings,
  names: NameMatches,
): Promise<Interest> {
  const { dialect, autoReloadAll } = settings;
  const optIn = readOptIn(workload, dialect, { autoReloadAll }, names.compile);
  const template = parsePodTemplate(workload.template);
  const kinds = settings.sourceKinds.filter((kind) => mayReload(optIn, kind));
  const { namespace } = workload.ref;
  const all = kinds.length === 0 ? [] : collectReferences(template, namespace);
  const references = all.filter(({ source }) => kinds.includes(source.kind));
  const byKey = new Map(references.map((reference) => [sourceKey(reference.source), reference]));
  const inFull = kinds.flatMap((kind) =>
    optIn.kinds[kind].named.exact.map((name) => ({ kind, namespace, name })),
  );
  const named = new Set([...inFull, ...(await matchedReferences(optIn, references, names))].map(sourceKey));
  // Only the source itself shows whether it has the match annotation: sources that would count with it are candidates.
  const asked = references.filter((reference) =>
    counts({ optIn, named }, reference, { [dialect.match]: "true" }),
  );
  const excluded = (source: SourceRef) => optIn.kinds[source.kind].excluded.has(source.name);
  const candidates = new Map(
    [...asked.map(({ source }) => source), ...inFull].map((source) => [sourceKey(source), source]),
  );
  return {
    optIn,
    template,
    references: byKey,
    named,
    candidates: [...candidates.values()].filter((source) => !excluded(source)),
    patternKinds: kinds.filter((kind) => optIn.kinds[kind].named.patterns.length > 0),
    owner: await interestOfOwner(workload, settings, names),
  };
}

async function interestOfOwner(
  { templateOwner, ...workload }: LiveWorkload,
  settings: Settings,
  names: NameMatches,
): Promise<Interest | undefined> {
  const kind = servedKind(workload.ref.kind, settings);
  if (templateOwner === undefined || kind?.followsOwner?.(workload.annotations) !== true) return undefined;
  const { ref, annotations } = templateOwner;
  const isServed = servedKind(ref.kind, settings) !== undefined;
  return isServed ? await readInterest({ ...workload, ref, annotations }, settings, names) : undefined;
}

/** The referenced sources that a pattern matches. */
async function matchedReferences(
  optIn: OptIn,
  references: readonly Reference[],
  names: NameMatches,
): Promise<readonly SourceRef[]> {
  const matched: SourceRef[] = [];
  if (references.every(({ source }) => optIn.kinds[source.kind].named.patterns.length === 0)) return matched;
  for (const [kind, its] of Map.groupBy(references, ({ source }) => source.kind)) {
    const items = optIn.kinds[kind].named.patterns.map(({ text }) => text);
    if (items.length === 0) continue;
    const sources = its.map(({ source }) => source);
    const byPattern = await names.of(
      items,
      sources.map(({ name }) => name),
    );
    matched.push(...sources.filter(({ name }) => byPattern.has(name)));
  }
  return matched;
}

const noInterest: ReadonlyMap<string, readonly string[]> = new Map();

/** Whether a referenced source with these annotations counts. */
function counts(
  { optIn, named }: Pick<Interest, "optIn" | "named">,
  reference: Reference,
  annotations: Annotations,
): boolean {
  const { source } = reference;
  const isNamed = named.has(sourceKey(source));
  return judge({ optIn, source: { ref: source, annotations }, reference, isNamed }).reload;
}

/** A source to judge. */
export interface JudgedSource {
  readonly ref: SourceRef;
  /** Undefined: it does not exist. */
  readonly annotations: Annotations | undefined;
  readonly reference: Reference | undefined;
  /** Whether an annotation of the workload names it, and whether one of the owner of its template does. */
  readonly isNamed: boolean;
  readonly isNamedByOwner: boolean;
}

/** Judges one source. A source that does not exist cannot show whether it matches: it is recorded as absent, and judged again when it appears. */
export function judgeFor({ optIn, owner }: Interest, judged: JudgedSource): Decision {
  const { ref, annotations, reference, isNamed, isNamedByOwner } = judged;
  const seen = annotations ?? { [optIn.dialect.match]: "true" };
  const own = { optIn, source: { ref, annotations: seen }, reference, isNamed };
  // If it appears without the match annotation, an owner that searches for one does not roll: its absence is recorded here, too.
  const its = { source: { ref, annotations: annotations ?? {} }, reference, isNamed: isNamedByOwner };
  return judgeFollower(own, owner && { optIn: owner.optIn, ...its });
}

/** The keys of the sources that annotations of the template's owner name. All sources are of one namespace. */
export async function namedByOwner(
  { owner }: Interest,
  sources: readonly SourceRef[],
  names: NameMatches,
): Promise<ReadonlySet<string>> {
  if (owner === undefined) return new Set();
  const named: string[] = [];
  for (const [kind, its] of Map.groupBy(sources, (source) => source.kind)) {
    const matching = await namesMatching(owner, kind, { listed: its.map(({ name }) => name), names });
    named.push(...its.filter(({ name }) => matching.has(name)).map(sourceKey));
  }
  return new Set(named);
}

/** The name patterns in force, by kind. SecretProviderClasses have none: content that only running pods show neither appears nor disappears. */
export function patternsOf({ optIn, patternKinds }: Interest): readonly string[] {
  return patternKinds
    .filter((kind) => kind !== "SecretProviderClass")
    .flatMap((kind) => optIn.kinds[kind].named.patterns.map(({ text }) => `${kind}/${text}`));
}

/** Names of a kind that the workload's annotation names, each with the patterns of `patternsOf` that match it. */
export async function namesMatching(
  { optIn }: Interest,
  kind: SourceKind,
  { listed, names }: { readonly listed: readonly string[]; readonly names: NameMatches },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { named, excluded } = optIn.kinds[kind];
  const byPattern = await names.of(
    named.patterns.map(({ text }) => text),
    listed,
  );
  const inFull = new Set(named.exact);
  const matching = listed.filter((name) => (byPattern.has(name) || inFull.has(name)) && !excluded.has(name));
  // Content that only running pods show neither appears nor disappears.
  const patterns = kind === "SecretProviderClass" ? noInterest : byPattern;
  return new Map(
    matching.map((name) => [name, (patterns.get(name) ?? []).map((text) => `${kind}/${text}`)] as const),
  );
}

/** Whether the workload has to be in the index at all. */
export function isInterested(interest: Interest): boolean {
  return interest.candidates.length > 0 || interest.patternKinds.length > 0;
}

export function indexEntry(workload: LiveWorkload, interest: Interest): IndexEntry {
  const { quietPeriodMs, maxWaitMs } = interest.optIn.overrides;
  return {
    workload: workload.ref,
    ...askedOf(interest),
    scope: interestScopeOf(workload, interest),
    ...(workload.templateOwner && { templateOwner: workload.templateOwner.ref }),
    window: {
      ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }),
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    },
  };
}

function askedOf({ candidates, optIn, patternKinds }: Interest): Pick<IndexEntry, "sources" | "patterns"> {
  const patterns = patternKinds.flatMap((kind) =>
    optIn.kinds[kind].named.patterns.map((pattern) => ({ kind, item: pattern.text })),
  );
  return { sources: candidates.map(sourceKey), patterns };
}

/** Everything but the names that decides what is recorded of the sources of an entry. */
function interestScopeOf(workload: LiveWorkload, interest: Interest): string {
  const { optIn, candidates, references, patternKinds, owner } = interest;
  const asked = candidates.flatMap((source) => references.get(sourceKey(source)) ?? []);
  const keys = asked.flatMap((one) => (one.keys === "all" ? [] : [[sourceKey(one.source), one.keys]]));
  const onlyMatching = asked
    .filter((one) => !counts(interest, one, {}))
    .map(({ source }) => sourceKey(source));
  const excluded = patternKinds.flatMap((kind) => [...optIn.kinds[kind].excluded]);
  // Pods of a new template start without optional sources that are missing at that time, which has to be recorded.
  const generation = asked.some(({ optional }) => optional) ? workload.generation : 0;
  const parts = [generation, keys, onlyMatching, excluded];
  if (owner !== undefined && isInterested(owner))
    return JSON.stringify([...parts, askedOf(owner), interestScopeOf(workload, owner)]);
  const isPlain = keys.length + onlyMatching.length + excluded.length + generation === 0;
  return isPlain ? "" : JSON.stringify(parts);
}

/** The window in force: the workload's own, or the default. A maximum wait below the quiet period is raised to it. */
export function windowOf(own: Partial<Debounce>, settings: Settings): Debounce {
  const quietPeriodMs = own.quietPeriodMs ?? settings.debounce.quietPeriodMs;
  return { quietPeriodMs, maxWaitMs: Math.max(quietPeriodMs, own.maxWaitMs ?? settings.debounce.maxWaitMs) };
}
