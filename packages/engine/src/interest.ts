import { type CompilePattern, namesSource } from "@fleet-reloader/domain/annotation/name-list";
import { mayReload, type OptIn, readOptIn } from "@fleet-reloader/domain/annotation/opt-in";
import type { Debounce } from "@fleet-reloader/domain/debounce";
import { judge } from "@fleet-reloader/domain/decision/judge";
import { type PodTemplate, parsePodTemplate } from "@fleet-reloader/domain/pod-template";
import { collectReferences, type Reference } from "@fleet-reloader/domain/reference/collect";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source";
import type { Annotations } from "@fleet-reloader/domain/workload";
import type { LiveWorkload } from "./cluster-api.ts";
import type { IndexEntry } from "./reference-index.ts";
import type { Settings } from "./settings.ts";

/** What one workload is interested in, read from itself alone; what its sources say is asked when they are read. */
export interface Interest {
  readonly optIn: OptIn;
  readonly template: PodTemplate;
  readonly references: ReadonlyMap<string, Reference>;
  /** Sources that may count: referenced ones that are asked for, and exact names of annotations. */
  readonly candidates: readonly SourceRef[];
  /** Kinds for which name patterns are set; all names of the kind in the namespace have to be looked at. */
  readonly patternKinds: readonly SourceKind[];
}

export function readInterest(workload: LiveWorkload, settings: Settings, compile: CompilePattern): Interest {
  const { dialect, autoReloadAll } = settings;
  const optIn = readOptIn(workload, dialect, { autoReloadAll }, compile);
  const template = parsePodTemplate(workload.template);
  const kinds = settings.sourceKinds.filter((kind) => mayReload(optIn, kind));
  const { namespace } = workload.ref;
  const all = kinds.length === 0 ? [] : collectReferences(template, namespace);
  const references = all.filter(({ source }) => kinds.includes(source.kind));
  const byKey = new Map(references.map((reference) => [sourceKey(reference.source), reference]));
  // Whether a source carries the match annotation only the source itself can tell: those that would count with it count.
  const asked = references.filter((reference) => counts(optIn, reference, { [dialect.match]: "true" }));
  const named = kinds.flatMap((kind) =>
    optIn.kinds[kind].named.exact.map((name) => ({ kind, namespace, name })),
  );
  const excluded = (source: SourceRef) => optIn.kinds[source.kind].excluded.has(source.name);
  const candidates = new Map(
    [...asked.map(({ source }) => source), ...named].map((source) => [sourceKey(source), source]),
  );
  return {
    optIn,
    template,
    references: byKey,
    candidates: [...candidates.values()].filter((source) => !excluded(source)),
    patternKinds: kinds.filter((kind) => optIn.kinds[kind].named.patterns.length > 0),
  };
}

/** Whether a source that is referenced counts, if these are its annotations. */
function counts(optIn: OptIn, reference: Reference, annotations: Annotations): boolean {
  return judge({ optIn, source: { ref: reference.source, annotations }, reference }).reload;
}

/** The name patterns in force, by kind. Content that is shown only while pods run neither appears nor goes. */
export function patternsOf({ optIn, patternKinds }: Interest): readonly string[] {
  return patternKinds
    .filter((kind) => kind !== "SecretProviderClass")
    .flatMap((kind) => optIn.kinds[kind].named.patterns.map(({ text }) => `${kind}/${text}`));
}

/** Those of `patternsOf` that match the source. */
export function patternsMatching({ optIn }: Interest, { kind, name }: SourceRef): readonly string[] {
  if (kind === "SecretProviderClass") return [];
  return optIn.kinds[kind].named.patterns
    .filter((pattern) => pattern.matches(name))
    .map(({ text }) => `${kind}/${text}`);
}

/** Names of a kind that the workload's patterns match. */
export function namesMatching(
  interest: Interest,
  kind: SourceKind,
  names: readonly string[],
): readonly string[] {
  const { named, excluded } = interest.optIn.kinds[kind];
  return names.filter((name) => namesSource(named, name) && !excluded.has(name));
}

/** Whether the workload has to be in the index at all. */
export function isInterested(interest: Interest): boolean {
  return interest.candidates.length > 0 || interest.patternKinds.length > 0;
}

export function indexEntry(workload: LiveWorkload, interest: Interest): IndexEntry {
  const { quietPeriodMs, maxWaitMs } = interest.optIn.overrides;
  return {
    workload: workload.ref,
    sources: interest.candidates.map(sourceKey),
    patterns: interest.patternKinds.flatMap((kind) =>
      interest.optIn.kinds[kind].named.patterns.map((pattern) => ({ kind, item: pattern.text })),
    ),
    scope: scopeOf(workload, interest),
    window: {
      ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }),
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    },
  };
}

/** All that decides what is noted of the sources of an entry, and cannot be told from their names. */
function scopeOf(workload: LiveWorkload, { optIn, candidates, references, patternKinds }: Interest): string {
  const asked = candidates.flatMap((source) => references.get(sourceKey(source)) ?? []);
  const keys = asked.flatMap((one) => (one.keys === "all" ? [] : [[sourceKey(one.source), one.keys]]));
  const onlyMatching = asked.filter((one) => !counts(optIn, one, {})).map(({ source }) => sourceKey(source));
  const excluded = patternKinds.flatMap((kind) => [...optIn.kinds[kind].excluded]);
  // Pods of a new template start without the optional sources that are missing then: that has to be noted.
  const generation = asked.some(({ optional }) => optional) ? workload.generation : 0;
  const isPlain = keys.length + onlyMatching.length + excluded.length + generation === 0;
  return isPlain ? "" : JSON.stringify([generation, keys, onlyMatching, excluded]);
}

/** The window in force: the workload's own where it sets one. A maximum wait below the quiet period is raised to it. */
export function windowOf(own: Partial<Debounce>, settings: Settings): Debounce {
  const quietPeriodMs = own.quietPeriodMs ?? settings.debounce.quietPeriodMs;
  return { quietPeriodMs, maxWaitMs: Math.max(quietPeriodMs, own.maxWaitMs ?? settings.debounce.maxWaitMs) };
}
