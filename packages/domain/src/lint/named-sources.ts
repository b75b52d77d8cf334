import { isGlobLike } from "../annotation/glob-like.ts";
import { isPlainName } from "../annotation/name-list.ts";
import { objectsInVolume } from "../reference/object-use.ts";
import type { SourceKind } from "../source/source.ts";
import { likelyName } from "../spelling/likely-name.ts";
import { type LintFinding, type LintRemark, lintFinding } from "./finding.ts";
import type { KnownSource } from "./known-source.ts";
import {
  annotationPlace,
  givenSources,
  isRolledBy,
  type LintedWorkload,
  lintedSourceKinds,
  usedNames,
} from "./linted-workload.ts";

/** Maximum findings of one annotation: a list with thousands of wrong names is one mistake. */
export const findingsMax = 20;

/** Findings about the annotations that name sources: names that no source has, patterns that match nothing, and sources that never count. */
export function lintNamedSources(workload: LintedWorkload): readonly LintFinding[] {
  return lintedSourceKinds.flatMap((kind) => {
    const named = namedOf(workload, kind);
    const place = annotationPlace(workload, named.annotation);
    // Lazy: the search for a likely name compares all names of the files, which takes time.
    const ofNames = named.names.values().flatMap((name) => ofName(named, name));
    const ofPatterns = named.patterns.values().flatMap((pattern) => ofPattern(named, pattern));
    const remarks = [...ofNames.take(findingsMax), ...ofPatterns.take(findingsMax)];
    return remarks.slice(0, findingsMax).map((remark) => lintFinding(place, remark));
  });
}

interface Named {
  readonly workload: LintedWorkload;
  readonly kind: SourceKind;
  readonly annotation: string;
  readonly names: readonly string[];
  /** The same names. A wrong name is never a misspelling of one of them. */
  readonly taken: ReadonlySet<string>;
  readonly patterns: readonly { readonly text: string; readonly matches: (name: string) => boolean }[];
  /** The names of the kind that the pod template uses. */
  readonly used: ReadonlySet<string>;
  readonly given: ReadonlyMap<string, KnownSource>;
}

function namedOf(workload: LintedWorkload, kind: SourceKind): Named {
  const { exact, patterns } = workload.optIn.kinds[kind].named;
  const names = [...exact, ...patterns.map(({ text }) => text).filter(isPlainName)];
  return {
    workload,
    kind,
    annotation: workload.dialect.kinds[kind].named,
    names,
    taken: new Set(names),
    patterns: patterns.filter(({ text }) => !isPlainName(text)),
    used: new Set(usedNames(workload, kind)),
    given: givenSources(workload, kind),
  };
}

function ofName(named: Named, name: string): readonly LintRemark[] {
  const { given, kind, used, workload } = named;
  const source = given.get(name);
  if (source !== undefined || workload.optIn.kinds[kind].excluded.has(name)) {
    const never = neverCounts(named, name, source);
    if (never !== undefined) return [never];
  }
  if (used.has(name) || !workload.hasPods) return [];
  return [given.has(name) ? unusedSource(named, name) : missingSource(named, name)];
}

/** A source that exists and can never roll the workload. */
function neverCounts(named: Named, name: string, source: KnownSource | undefined): LintRemark | undefined {
  const { annotation, kind, workload } = named;
  const { dialect, optIn } = workload;
  const remark = (rule: LintRemark["rule"], why: string, mend: string): LintRemark => {
    return { rule, value: name, problem: `names the ${kind} ${name}, ${why}`, mend };
  };
  const { exclude } = dialect.kinds[kind];
  if (optIn.kinds[kind].excluded.has(name))
    return remark(
      "source-ignored",
      `which the annotation ${exclude} excludes: it never rolls the workload`,
      `take it out of ${exclude} or out of ${annotation}`,
    );
  if (source?.annotations[dialect.ignore] === "true")
    return remark(
      "source-ignored",
      `which carries the annotation ${dialect.ignore}: it never rolls a workload`,
      `take that annotation off the ${kind}, or the name out of this one`,
    );
  if (source?.isImmutable !== true) return undefined;
  return remark(
    "source-never-changes",
    "which is immutable: its content never changes, so it never rolls the workload",
    `take the name away, or take "immutable: true" off the ${kind}`,
  );
}

function unusedSource({ kind, taken, used }: Named, name: string): LintRemark {
  const likely = likelyName(
    name,
    [...used].filter((each) => !taken.has(each)),
  );
  return {
    rule: "source-unused",
    value: name,
    problem: `names the ${kind} ${name}, which the pod template does not use; it rolls the workload all the same`,
    mend: `${likely === undefined ? "" : `write ${likely} if that is meant, and `}keep the name only if the program reads the ${kind} through the API`,
  };
}

function missingSource(named: Named, name: string): LintRemark {
  const { kind, workload } = named;
  const problem = `names the ${kind} ${name}, which no given file has and which the pod template does not use`;
  const otherKind = lintedSourceKinds.find(
    (each) =>
      each !== kind && (usedNames(workload, each).includes(name) || givenSources(workload, each).has(name)),
  );
  if (otherKind !== undefined) {
    const mend = `write the name in the annotation ${workload.dialect.kinds[otherKind].named}: there is a ${otherKind} of this name`;
    return { rule: "source-wrong-name", value: name, problem, mend };
  }
  const likely = likelySource(named, name);
  if (likely !== undefined) return { rule: "source-wrong-name", value: name, problem, mend: likely };
  const elsewhere = workload.sources.all.find((source) => source.kind === kind && source.name === name);
  const hint =
    elsewhere === undefined
      ? "correct the name, or give the file that has it"
      : `there is one in the namespace ${elsewhere.namespace}, but only sources of the workload's own namespace count`;
  return { rule: "source-missing", value: name, problem, mend: hint };
}

/** Prefers the names that the pod template uses: a name in the annotation is most often that of a source the pods read. */
function likelySource({ given, kind, taken, used, workload }: Named, name: string): string | undefined {
  const volume = workload.template.spec.volumes.find((each) => each.name === name);
  const shown = volume === undefined ? undefined : objectsInVolume(volume).find((use) => use.kind === kind);
  if (shown !== undefined)
    return `write ${shown.name}: ${name} is only the name of the volume that shows the ${kind} ${shown.name}`;
  const generated = [...used, ...given.keys()].find((each) => isGeneratedFrom(name, each));
  if (generated !== undefined)
    return `take the name away, since ${generated} gets another name from kustomize with each content and the workload rolls with that; or set disableNameSuffixHash`;
  const free = (names: Iterable<string>) => [...names].filter((each) => !taken.has(each));
  const likelyUsed = likelyName(name, free(used));
  if (likelyUsed !== undefined) return `write ${likelyUsed} if that is meant: the pod template uses it`;
  const likelyGiven = likelyName(name, free(given.keys()));
  return likelyGiven === undefined ? undefined : `write ${likelyGiven} if that is meant`;
}

/** The suffix that kustomize appends to the names of generated sources: a hash of the content. */
const contentSuffix = /^-[2456789bcdfghkmt]{10}$/;

function isGeneratedFrom(name: string, full: string): boolean {
  return full.startsWith(name) && contentSuffix.test(full.slice(name.length));
}

function ofPattern(named: Named, { text, matches }: Named["patterns"][number]): readonly LintRemark[] {
  const { given, kind, used, workload } = named;
  if (isGlobLike(text)) return []; // Another rule reports that the annotation does not mean what its author intended.
  const remark = ofPatternText(text);
  if (remark !== undefined) return [remark];
  if (!workload.hasPods || [...used, ...given.keys()].some((name) => name === text || matches(name)))
    return [];
  return [
    {
      rule: "pattern-matches-nothing",
      value: text,
      problem: `is a regular expression that matches no ${kind} of the given files and none that the pod template uses`,
      mend: "correct it, or give the files that have the sources",
    },
  ];
}

/** A finding about the pattern's text alone, whatever it matches. */
function ofPatternText(text: string): LintRemark | undefined {
  if (/[\s;]/.test(text)) return listSeparator(text);
  return hasOpenAlternatives(text) ? patternAnchors(text) : undefined;
}

/** Findings about the texts of the patterns in annotations. It matches nothing, so thousands of patterns take no time. */
export function lintPatternTexts(workload: LintedWorkload): readonly LintFinding[] {
  return lintedSourceKinds.flatMap((kind) => {
    const place = annotationPlace(workload, workload.dialect.kinds[kind].named);
    const remarks = workload.optIn.kinds[kind].named.patterns
      .values()
      .filter(({ text }) => !isPlainName(text) && !isGlobLike(text))
      .map(({ text }) => ofPatternText(text))
      .filter((remark) => remark !== undefined);
    return [...remarks.take(findingsMax)].map((remark) => lintFinding(place, remark));
  });
}

function listSeparator(text: string): LintRemark {
  const names = text.split(/[\s;]+/).filter((name) => name !== "");
  return {
    rule: "list-separator",
    value: text,
    problem: "is one pattern that no name matches: only a comma separates names",
    mend: `write "${names.join(",")}"`,
  };
}

/** Whether a pattern has alternatives outside of parentheses, classes and escapes. */
function hasOpenAlternatives(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "").replaceAll(/\[[^\]]*\]/g, "");
  let depth = 0;
  for (const character of bare) {
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "|" && depth === 0) return true;
  }
  return false;
}

function patternAnchors(text: string): LintRemark {
  const parts = text.split("|");
  return {
    rule: "pattern-anchors",
    value: text,
    problem: `matches every name that begins with "${parts[0]}" or ends with "${parts.at(-1)}"`,
    mend: `write "(${text})", or separate the names with commas`,
  };
}

/** Findings about a workload that opts in to everything it uses, but uses nothing that could count. */
export function lintAutoReload(workload: LintedWorkload): readonly LintFinding[] {
  if (!workload.hasPods) return [];
  const { dialect, references } = workload;
  const remarks = (annotation: string, rule: LintRemark["rule"], problem: string, mend: string) => [
    lintFinding(annotationPlace(workload, annotation), { rule, value: "true", problem, mend }),
  ];
  const nothing = (annotation: string, what: string) =>
    remarks(
      annotation,
      "nothing-to-reload",
      `has no effect: the pod template uses no ${what}`,
      "name the sources in the annotation reload, or take this one away",
    );
  const { search } = workload.optIn.kinds.ConfigMap;
  const isAuto = lintedSourceKinds.some((kind) => workload.optIn.kinds[kind].auto);
  return [
    ...(isAuto && references.length === 0 ? nothing(dialect.auto, "source") : []),
    ...(search && references.length === 0 ? nothing(dialect.search, "source") : []),
    ...lintedSourceKinds.flatMap((kind) =>
      workload.optIn.kinds[kind].autoForKind && usedNames(workload, kind).length === 0
        ? nothing(dialect.kinds[kind].auto, kind)
        : [],
    ),
    ...(search && references.length > 0 && isNothingMarked(workload)
      ? remarks(
          dialect.search,
          "search-without-match",
          `has no effect: none of the sources that the pod template uses carries ${dialect.match}`,
          `write ${dialect.match}: "true" on the sources that count`,
        )
      : []),
  ];
}

/** Whether the files have every source that the pod template uses, and none of these has the `match` annotation. */
function isNothingMarked(workload: LintedWorkload): boolean {
  return workload.references.every(({ source: { kind, name } }) => {
    const known = givenSources(workload, kind).get(name);
    return (
      known !== undefined &&
      known.annotations[workload.dialect.match] !== "true" &&
      !isRolledBy(workload, { kind, namespace: workload.head.namespace, name })
    );
  });
}
