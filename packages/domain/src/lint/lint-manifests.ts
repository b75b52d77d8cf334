import { splitNames } from "../annotation/name-list.ts";
import type { AnnotationProblem } from "../annotation/problem.ts";
import { planPause } from "../workload/pause.ts";
import { lintKeySpelling, lintOtherKeys, lintWorkloadKeys } from "./annotation-keys.ts";
import { type LintFinding, lintFinding } from "./finding.ts";
import {
  annotationPlace,
  countedText,
  type LintedWorkload,
  type LintSettings,
  lintedSourceKinds,
  lintedWorkloads,
  lintPlaceOf,
} from "./linted-workload.ts";
import type { LintManifest } from "./manifest.ts";
import { findingsMax, lintAutoReload, lintNamedSources } from "./named-sources.ts";
import { lintPodReferences } from "./pod-references.ts";

/**
 * Findings about the annotations in the files, sorted by file and place. Manifests that belong together have to be given together: a source that
 * no file has counts as missing.
 */
export function lintManifests(
  manifests: readonly LintManifest[],
  settings: LintSettings,
): readonly LintFinding[] {
  const workloads = lintedWorkloads(manifests, settings);
  const byManifest = new Map(workloads.map((workload) => [workload.manifest, workload]));
  return manifests
    .flatMap((manifest) => {
      const workload = byManifest.get(manifest);
      return [
        ...lintKeySpelling(manifest, workload?.templatePath, settings.dialect),
        ...(workload === undefined ? lintOtherKeys(manifest, settings.dialect) : lintWorkload(workload)),
      ];
    })
    .sort(byPlace);
}

function lintWorkload(workload: LintedWorkload): readonly LintFinding[] {
  return [
    ...lintWorkloadKeys(workload),
    ...lintValues(workload),
    ...lintLists(workload),
    ...lintNamedSources(workload),
    ...lintAutoReload(workload),
    ...lintPodReferences(workload),
  ];
}

/** Findings that the running product reports about the same annotations, in the same words. */
function lintValues(workload: LintedWorkload): readonly LintFinding[] {
  const { dialect, head, optIn } = workload;
  const pause = planPause({
    kind: head.kind,
    annotations: head.annotations,
    isPaused: false,
    isRoll: false,
    dialect,
    nowMs: 0,
  });
  return [...optIn.problems, ...pause.problems].map((problem) =>
    lintFinding(placeOfProblem(workload, problem), {
      rule: "annotation-unreadable",
      value: problem.value,
      problem: problem.problem,
      mend: problem.mend,
    }),
  );
}

function placeOfProblem(workload: LintedWorkload, { annotation }: AnnotationProblem) {
  const isOnWorkload = Object.hasOwn(workload.head.annotations, annotation);
  return isOnWorkload
    ? lintPlaceOf(workload.manifest, ["metadata", "annotations", annotation], annotation)
    : annotationPlace(workload, annotation);
}

/** Spaces around the items of a list, and items without a name. */
function lintLists(workload: LintedWorkload): readonly LintFinding[] {
  return lintedSourceKinds.flatMap((kind) => {
    const { exclude, named } = workload.dialect.kinds[kind];
    const excluded = Object.hasOwn(workload.head.annotations, exclude)
      ? (workload.head.annotations[exclude] ?? "")
      : "";
    return [
      {
        annotation: named,
        text: countedText(workload, kind, named),
        place: annotationPlace(workload, named),
      },
      {
        annotation: exclude,
        text: excluded,
        place: lintPlaceOf(workload.manifest, ["metadata", "annotations", exclude], exclude),
      },
    ].flatMap(({ place, text }) => {
      const trimmed = splitNames(text);
      if (text === trimmed.join(",")) return [];
      const mend =
        trimmed.length === 0
          ? "name something, or take the annotation away"
          : `write "${trimmed.slice(0, findingsMax).join(",")}${trimmed.length > findingsMax ? ",…" : ""}"`;
      const problem = "has spaces around its items, or items without a name; they are ignored";
      return [lintFinding(place, { rule: "list-untrimmed", value: text, problem, mend })];
    });
  });
}

function byPlace(a: LintFinding, b: LintFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.position.line - b.position.line || a.position.column - b.position.column;
}
