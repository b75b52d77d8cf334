import type { ManifestPosition } from "./manifest.ts";
import { type LintRuleId, type LintSeverity, lintRules } from "./rules.ts";

/** What a rule says about one object. Holds names and annotations only, never the content of a source. */
export interface LintFinding {
  readonly rule: LintRuleId;
  readonly severity: LintSeverity;
  readonly file: string;
  readonly position: ManifestPosition;
  /** `Deployment team/api`. */
  readonly object: string;
  /** The annotation, or the path of the field; `""` when the finding is about a whole file. */
  readonly field: string;
  /** The part of the value that the finding is about, cut when long. */
  readonly value: string;
  /** What is wrong, and what follows from it. */
  readonly problem: string;
  /** What to write. */
  readonly mend: string;
}

/** One sentence for people: object, field, value, problem, mend. */
export function lintMessage({ object, field, value, problem, mend }: LintFinding): string {
  return field === ""
    ? `${object} ${problem}; ${mend}`
    : `${object}: ${field}: "${value}" ${problem}; ${mend}`;
}

/** Where a finding is. Findings about one field share it. */
export interface LintPlace {
  readonly file: string;
  readonly position: ManifestPosition;
  readonly object: string;
  readonly field: string;
}

/** The part of a finding that its rule says. */
export interface LintRemark {
  readonly rule: LintRuleId;
  readonly value: string;
  readonly problem: string;
  readonly mend: string;
}

/** An annotation may have 256 KiB. A line of a terminal has less room. */
const findingValueMax = 128;

export function lintFinding(place: LintPlace, { rule, value, problem, mend }: LintRemark): LintFinding {
  return {
    rule,
    severity: lintRules[rule].severity,
    file: place.file,
    position: place.position,
    object: place.object,
    field: place.field,
    value: value.length > findingValueMax ? `${value.slice(0, findingValueMax)}…` : value,
    problem,
    mend,
  };
}

/** Reports a file that is a template: its text is no manifest yet. */
export function templateFinding(file: string, position: ManifestPosition): LintFinding {
  const place = { file, position, object: "the file", field: "" };
  return lintFinding(place, {
    rule: "template-unrendered",
    value: "",
    problem: "is a template that is not rendered yet, so nothing in it is checked",
    mend: "render it first and give the result, for example: helm template … | fleet-reloader lint -",
  });
}
