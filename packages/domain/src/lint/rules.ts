/** An error is a mistake. A warning is most likely one. A note is worth knowing and makes no check fail. */
export type LintSeverity = "error" | "warning" | "note";

/** What a rule is for, as the documentation and SARIF show it. */
interface LintRule {
  readonly severity: LintSeverity;
  readonly finds: string;
  readonly mend: string;
}

const rule = (severity: LintSeverity, finds: string, mend: string): LintRule => ({ severity, finds, mend });

/** Every rule by its id. An id is never reused for another rule, because SARIF fingerprints and suppressions name it. */
export const lintRules = {
  "annotation-misplaced": rule(
    "warning",
    "An annotation that has no effect on this object.",
    "Move it to the object where it counts.",
  ),
  "annotation-not-text": rule(
    "error",
    "An annotation whose value is no text. The API server refuses the manifest.",
    "Put the value in quotes.",
  ),
  "annotation-unknown": rule(
    "warning",
    "An annotation that looks like one of ours and is not.",
    "Write the annotation that is meant.",
  ),
  "annotation-unreadable": rule(
    "warning",
    "A value that cannot be read, or that reads like a glob where a regular expression is expected. The running product raises the same as the Event `AnnotationUnreadable`.",
    "Write what the message says.",
  ),
  "list-separator": rule(
    "warning",
    "Names with a space, a line break or a semicolon between them. Only a comma separates, so they count as one pattern that no name matches.",
    "Separate the names with commas.",
  ),
  "list-untrimmed": rule(
    "note",
    "A list with spaces around its items, or with empty items. They are ignored here and by Stakater Reloader; not every tool that reads the list ignores them.",
    "Remove the spaces and the empty items.",
  ),
  "mount-by-subpath": rule(
    "warning",
    "A workload with our annotations mounts a source by `subPath`, and no annotation covers that source or leaves it out. Kubernetes never updates such a mount, so the pods keep the old content.",
    "Name the source in the annotation, or mount it without `subPath`.",
  ),
  "nothing-to-reload": rule(
    "warning",
    "`auto` or `search` on a workload whose pod template uses no such source. The annotation has no effect.",
    "Name the sources in the annotation `reload`, or take the annotation away.",
  ),
  "optional-not-covered": rule(
    "note",
    "Variables come from optional sources that no given file has and no annotation covers. A pod that starts before the source exists keeps running without it.",
    "Name the sources in the annotation `reload` if they may appear later.",
  ),
  "optional-without-effect": rule(
    "warning",
    "A reference is optional, and another one in the same pod template requires the same. The pod does not start without it.",
    "Make both optional, or take `optional` away.",
  ),
  "pattern-anchors": rule(
    "warning",
    "`a|b` means: begins with a, or ends with b.",
    "Put the alternatives in parentheses, or separate them with a comma.",
  ),
  "pattern-matches-nothing": rule(
    "warning",
    "A pattern that matches no source of the given files and none that the pod template uses.",
    "Correct the pattern, or give the files that have the sources.",
  ),
  "peer-differs": rule(
    "note",
    "Stakater Reloader reads this manifest differently.",
    "Nothing, unless Stakater Reloader runs on some of the clusters.",
  ),
  "search-without-match": rule(
    "warning",
    "`search` is on, and none of the sources that the pod template uses carries `match`. All of them are in the given files.",
    "Write the annotation `match` on the sources that count.",
  ),
  "source-ignored": rule(
    "warning",
    "An annotation names a source that is excluded or carries `ignore`. It never rolls the workload.",
    "Take one of the two annotations away.",
  ),
  "source-missing": rule(
    "warning",
    "An annotation names a source that no given file has and that the pod template does not use.",
    "Correct the name, or give the file that has the source.",
  ),
  "source-never-changes": rule(
    "warning",
    "An annotation names a source that is immutable. Its content never changes, so it never rolls the workload.",
    "Take the name away, or make the source mutable.",
  ),
  "source-unused": rule(
    "note",
    "An annotation names a source that the pod template does not use. It rolls the workload all the same.",
    "Nothing, if the program reads the source through the API.",
  ),
  "source-wrong-name": rule(
    "error",
    "An annotation names a source that no given file has and that the pod template does not use, and a source with a similar name is there.",
    "Write the name that the message suggests.",
  ),
  "template-unrendered": rule(
    "warning",
    "The file is a template, for example of Helm. Its manifests are not known before it is rendered, so nothing in it is checked.",
    "Render it first: `helm template … | fleet-reloader lint -`.",
  ),
} as const satisfies Readonly<Record<string, LintRule>>;

export type LintRuleId = keyof typeof lintRules;
