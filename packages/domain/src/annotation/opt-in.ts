import type { SourceKind } from "../source/source.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";
import type { AnnotationDialect } from "./dialect.ts";
import { isGlobLike, patternOfGlob } from "./glob-like.ts";
import { parseGoBool } from "./go-bool.ts";
import { type CompilePattern, type NameList, PatternBudget, parseNameList, splitNames } from "./name-list.ts";
import { type Overrides, readOverrides } from "./overrides.ts";
import { type AnnotationProblem, annotationProblem } from "./problem.ts";

/** What a workload opts in to, read from its annotations. It is complete: a decision reads no annotation again. */
export interface OptIn {
  /** The dialect of these annotations. Annotations of sources are read in the same dialect. */
  readonly dialect: AnnotationDialect;
  readonly kinds: Readonly<Record<SourceKind, KindOptIn>>;
  readonly overrides: Overrides;
  /** The unreadable annotations, for `explain`, `lint` and an Event. The others still count. */
  readonly problems: readonly AnnotationProblem[];
}

/** What a workload opts in to for one kind of source. */
export interface KindOptIn {
  /** The object whose annotations count for this kind. */
  readonly origin: "workload" | "template";
  readonly named: NameList;
  readonly search: boolean;
  /** The annotation for all kinds is true. */
  readonly auto: boolean;
  /** The annotation for this kind is true. */
  readonly autoForKind: boolean;
  /** Neither of the two annotations has a value, and the setting `autoReloadAll` is on. */
  readonly autoReloadAll: boolean;
  /** Exact names of sources that never count. */
  readonly excluded: ReadonlySet<string>;
}

/** The two places where a workload carries annotations: on itself and on its pod template. */
export interface AnnotatedWorkload {
  readonly annotations: Annotations;
  readonly templateAnnotations: Annotations;
}

/** The settings that change the meaning of annotations. */
export interface OptInSettings {
  /** The peer's flag `--auto-reload-all`. */
  readonly autoReloadAll: boolean;
}

/**
 * Reads what a workload opts in to, by the peer's rules (compat 1.4 steps 2, 3 and 7).
 *
 * Each kind of source has four keys: named and auto of that kind, search, and auto. If the workload has any of the four, even empty or false, all
 * four are read from the workload. Otherwise all four are read from the pod template. The two are never merged. Excludes and our own overrides are
 * read from the workload only.
 */
export function readOptIn(
  workload: AnnotatedWorkload,
  dialect: AnnotationDialect,
  settings: OptInSettings,
  compile: CompilePattern,
): OptIn {
  const budget = new PatternBudget(compile);
  const read = (kind: SourceKind) => readKind(kind, workload, { dialect, settings, budget });
  const configMap = read("ConfigMap");
  const secret = read("Secret");
  const providerClass = read("SecretProviderClass");
  const { overrides, problems } = readOverrides(workload.annotations);
  return {
    dialect,
    kinds: { ConfigMap: configMap.optIn, Secret: secret.optIn, SecretProviderClass: providerClass.optIn },
    overrides,
    problems: eachOnce([...configMap.problems, ...secret.problems, ...providerClass.problems, ...problems]),
  };
}

/** Whether a source of this kind can roll the workload at all. The index leaves out workloads for which none can. */
export function mayReload(optIn: OptIn, kind: SourceKind): boolean {
  const { named, search, auto, autoForKind, autoReloadAll } = optIn.kinds[kind];
  return (
    named.exact.length > 0 || named.patterns.length > 0 || search || auto || autoForKind || autoReloadAll
  );
}

interface OptInReading {
  readonly dialect: AnnotationDialect;
  readonly settings: OptInSettings;
  readonly budget: PatternBudget;
}

interface KindReading {
  readonly optIn: KindOptIn;
  readonly problems: readonly AnnotationProblem[];
}

function readKind(kind: SourceKind, workload: AnnotatedWorkload, reading: OptInReading): KindReading {
  const { dialect, settings, budget } = reading;
  const keys = dialect.kinds[kind];
  const isOnWorkload = [keys.named, dialect.search, dialect.auto, keys.auto].some((key) =>
    Object.hasOwn(workload.annotations, key),
  );
  const annotations = isOnWorkload ? workload.annotations : workload.templateAnnotations;
  const textOf = (key: string) => annotationValue(annotations, key) ?? "";
  const [auto, autoForKind, search] = [textOf(dialect.auto), textOf(keys.auto), textOf(dialect.search)];
  const names = textOf(keys.named);
  const named = parseNameList(names, budget);
  const excluded = annotationValue(workload.annotations, keys.exclude) ?? "";
  return {
    optIn: {
      origin: isOnWorkload ? "workload" : "template",
      named,
      search: search === "true",
      auto: parseGoBool(auto) ?? false,
      autoForKind: parseGoBool(autoForKind) ?? false,
      autoReloadAll: settings.autoReloadAll && auto === "" && autoForKind === "",
      excluded: new Set(splitNames(excluded)),
    },
    problems: [
      ...boolProblems(dialect.auto, auto),
      ...boolProblems(keys.auto, autoForKind),
      ...searchProblems(dialect.search, search),
      ...(names === "" ? [] : namedProblems(keys.named, names, named)),
      ...(names === "" ? [] : globProblems(keys.named, names, named)),
      ...(excluded === "" ? [] : excludeProblems(keys.exclude, excluded)),
    ],
  };
}

function boolProblems(annotation: string, value: string): readonly AnnotationProblem[] {
  if (value === "" || parseGoBool(value) !== undefined) return [];
  const problem = "is neither true nor false and counts as false";
  return [annotationProblem(annotation, value, problem, 'write "true" or "false"')];
}

/** One annotation has room for thousands of broken items. A person fixes the first ones and then checks again. */
const namedProblemsMax = 10;

/** Characters of an item that are shown. */
const namedItemShown = 64;

function namedProblems(annotation: string, value: string, named: NameList): readonly AnnotationProblem[] {
  const mend = "write names or RE2 patterns; every comma separates, also inside braces";
  const unread = named.invalid.length - namedProblemsMax;
  return [
    ...named.invalid
      .slice(0, namedProblemsMax)
      .map(({ item, why }) =>
        annotationProblem(
          annotation,
          value,
          `the item "${item}" is left out: ${why}`,
          isGlobLike(item) ? mendOfGlob(item) : mend,
        ),
      ),
    ...(unread > 0 ? [annotationProblem(annotation, value, `${unread} more items are left out`, mend)] : []),
  ];
}

/** A glob is also a valid regular expression, and both we and the peer read it as one. It matches other names than its author means. */
function globProblems(annotation: string, value: string, named: NameList): readonly AnnotationProblem[] {
  return named.patterns
    .map(({ text }) => text)
    .filter(isGlobLike)
    .slice(0, namedProblemsMax)
    .map((item) =>
      annotationProblem(
        annotation,
        value,
        `the item "${item}" is a regular expression, in which * repeats the character before it; it is no glob`,
        mendOfGlob(item),
      ),
    );
}

function mendOfGlob(item: string): string {
  return `write "${patternOfGlob(item)}" for any text in place of *`;
}

/** Excludes are exact names. No object's name contains any other character. */
function excludeProblems(annotation: string, value: string): readonly AnnotationProblem[] {
  return splitNames(value)
    .filter((item) => /[^A-Za-z0-9.-]/.test(item))
    .slice(0, namedProblemsMax)
    .map((item) =>
      annotationProblem(
        annotation,
        value,
        `the item "${item.slice(0, namedItemShown)}" excludes nothing: patterns do not count here`,
        "write exact names, separated by commas",
      ),
    );
}

function searchProblems(annotation: string, value: string): readonly AnnotationProblem[] {
  if (value === "" || value === "true" || parseGoBool(value) === false) return [];
  const problem = 'is not the exact text "true" and counts as false';
  return [annotationProblem(annotation, value, problem, 'write "true"')];
}

/** An annotation for all kinds is read once for each kind. Its problem is reported once. */
function eachOnce(problems: readonly AnnotationProblem[]): readonly AnnotationProblem[] {
  if (problems.length < 2) return problems;
  const byIdentity = problems.map((problem) => {
    return [JSON.stringify([problem.annotation, problem.value, problem.problem]), problem] as const;
  });
  return [...new Map(byIdentity).values()];
}
