import type { AnnotationDialect } from "../annotation/dialect.ts";
import { debounceAnnotation, maxWaitAnnotation, strategyAnnotation } from "../annotation/own-keys.ts";
import { freezeAnnotation } from "../hold/freeze.ts";
import { isJsonObject, type JsonObject, jsonField } from "../json.ts";
import { rolloutStrategyAnnotation } from "../kind/rollout.ts";
import { madeOnce } from "../made-once.ts";
import { nearestName } from "../spelling/nearest-name.ts";
import { type LintFinding, type LintPlace, type LintRemark, lintFinding } from "./finding.ts";
import { sourceKindIn } from "./known-source.ts";
import { type LintedWorkload, lintedSourceKinds, lintPlaceOf } from "./linted-workload.ts";
import { type LintManifest, manifestHead, valueAt } from "./manifest.ts";

/** The annotations of a dialect by the object that they count on. */
interface DialectKeys {
  readonly all: readonly string[];
  /** On a workload, or on its pod template when the workload itself has none of them. */
  readonly eitherPlace: readonly string[];
  /** On a workload only. */
  readonly workload: readonly string[];
  readonly source: readonly string[];
  readonly workloadOrSource: readonly string[];
}

/** Written by the product or by the peer. Nobody writes them by hand, but exported files have them. */
const writtenKey =
  /^(reloader\.stakater\.com\/last-reloaded-from|fleet-reloader\.io\/(carried-.*|mark|last-run|last-roll|kept|replace.*|cluster))$/;

/** There are few dialects, and each adoption asks several times. */
const annotationKeysOf = madeOnce((dialect: AnnotationDialect): DialectKeys => {
  const kinds = lintedSourceKinds.map((kind) => dialect.kinds[kind]);
  const eitherPlace = [dialect.auto, dialect.search, ...kinds.flatMap(({ auto, named }) => [named, auto])];
  const workload = [
    ...kinds.map(({ exclude }) => exclude),
    ...[dialect.pausePeriod, dialect.pausedAt, rolloutStrategyAnnotation],
    ...[debounceAnnotation, maxWaitAnnotation, strategyAnnotation],
  ];
  const source = [dialect.match, dialect.ignore];
  const workloadOrSource = [freezeAnnotation];
  const all = [...eitherPlace, ...workload, ...source, ...workloadOrSource];
  return { all, eitherPlace, workload, source, workloadOrSource };
});

/** Findings about the annotations of an object that is no workload: a source, or an object of a kind that is never rolled. */
export function lintOtherKeys(manifest: LintManifest, dialect: AnnotationDialect): readonly LintFinding[] {
  const head = manifestHead(manifest.object);
  const isSource = sourceKindIn(head.group, head.kind) !== undefined;
  if (!isSource && head.kind !== "Pod" && head.kind !== "ReplicaSet") return [];
  const keys = annotationKeysOf(dialect);
  return ownAnnotations(manifest, [], dialect).flatMap(({ key, place, value }) => {
    const isOfBoth = keys.workloadOrSource.includes(key);
    if (isOfBoth && isSource) return [];
    const isOfWorkload = keys.eitherPlace.includes(key) || keys.workload.includes(key) || isOfBoth;
    if (isOfWorkload || (keys.source.includes(key) && !isSource)) {
      const where = isOfWorkload ? "workload" : "ConfigMap or a Secret";
      const mend = isOfWorkload ? "write it on the workload" : `write it on the ${where}`;
      return [misplaced(place, value, `has no effect on a ${head.kind}: it counts on a ${where}`, mend)];
    }
    return keys.source.includes(key) ? notExactlyTrue(place, value) : [];
  });
}

/** Findings about the annotations of a workload and of its pod template, from their keys alone. */
export function lintWorkloadKeys(workload: LintedWorkload): readonly LintFinding[] {
  const { dialect, head, manifest, templatePath = [] } = workload;
  const keys = annotationKeysOf(dialect);
  const onWorkload = ownAnnotations(manifest, [], dialect).flatMap(({ key, place, value }) => {
    if (keys.source.includes(key))
      return [
        misplaced(
          place,
          value,
          `has no effect on a ${head.kind}: it counts on a ConfigMap or a Secret`,
          "write it there",
        ),
      ];
    return key === rolloutStrategyAnnotation ? lintRolloutStrategy(place, head.kind, value) : [];
  });
  if (templatePath.length === 0) return onWorkload;
  const onTemplate = ownAnnotations(manifest, templatePath, dialect).flatMap(({ key, place, value }) => {
    const isLost = keys.workloadOrSource.includes(key) && !Object.hasOwn(head.annotations, key);
    if (keys.workload.includes(key) || keys.source.includes(key) || isLost) {
      const where = keys.source.includes(key) ? "a ConfigMap or a Secret" : `the ${head.kind} itself`;
      return [
        misplaced(place, value, `has no effect on a pod template: it counts on ${where}`, "write it there"),
      ];
    }
    const hidden = keys.eitherPlace.includes(key) && isHidden(workload, key, value);
    const problem = `is ignored on the pod template: the ${head.kind} itself has annotations of this kind, and the two are never merged`;
    return hidden ? [misplaced(place, value, problem, `write it on the ${head.kind}`)] : [];
  });
  return [...onWorkload, ...lintJobTemplate(workload), ...onTemplate];
}

/** Annotations that a CronJob passes on to its Jobs, which nothing rolls. */
function lintJobTemplate({ dialect, head, manifest, templatePath = [] }: LintedWorkload) {
  const jobTemplatePath = templatePath.slice(0, -["spec", "template"].length);
  if (jobTemplatePath.length === 0) return [];
  const { source } = annotationKeysOf(dialect);
  return ownAnnotations(manifest, jobTemplatePath, dialect)
    .filter(({ key }) => !Object.hasOwn(head.annotations, key))
    .map(({ key, place, value }) => {
      const where = source.includes(key) ? "a ConfigMap or a Secret" : `the ${head.kind} itself`;
      const problem = `has no effect on a job template: it counts on ${where}`;
      return misplaced(place, value, problem, "write it there");
    });
}

/** Annotations of ours that are unknown, or whose value is no text, on any object. */
export function lintKeySpelling(
  manifest: LintManifest,
  templatePath: readonly string[] | undefined,
  dialect: AnnotationDialect,
): readonly LintFinding[] {
  const known = annotationKeysOf(dialect).all;
  const owners = templatePath === undefined || templatePath.length === 0 ? [[]] : [[], templatePath];
  return owners.flatMap((owner) =>
    Object.entries(annotationsAt(manifest, owner)).flatMap(([key, value]) => {
      const place = () => lintPlaceOf(manifest, [...owner, "metadata", "annotations", key], key);
      if (known.includes(key)) return typeof value === "string" ? [] : [notText(place(), value)];
      const isOurs = /stakater|fleet-reloader/i.test(key.split("/")[0] ?? "") && !writtenKey.test(key);
      const nearest = isSpelledLike(key) ? nearestName(key, known) : undefined;
      return isOurs || nearest !== undefined ? [unknownKey(place(), value, nearestName(key, known))] : [];
    }),
  );
}

/** A key with this word in it may be a misspelled key of ours. Every other key belongs to somebody else. */
function isSpelledLike(key: string): boolean {
  return key.includes("reloader") && !writtenKey.test(key);
}

interface OwnAnnotation {
  readonly key: string;
  readonly value: string;
  readonly place: LintPlace;
}

function ownAnnotations(
  manifest: LintManifest,
  owner: readonly string[],
  dialect: AnnotationDialect,
): readonly OwnAnnotation[] {
  const known = annotationKeysOf(dialect).all;
  return Object.entries(annotationsAt(manifest, owner)).flatMap(([key, value]) => {
    if (!known.includes(key) || typeof value !== "string") return [];
    return [{ key, value, place: lintPlaceOf(manifest, [...owner, "metadata", "annotations", key], key) }];
  });
}

function annotationsAt({ object }: LintManifest, owner: readonly string[]): JsonObject {
  const annotations = jsonField(jsonField(valueAt(object, owner), "metadata"), "annotations");
  return isJsonObject(annotations) ? annotations : {};
}

/** The pod template's annotation counts for no kind of source, and its value differs from the workload's own. */
function isHidden({ dialect, head, optIn }: LintedWorkload, key: string, value: string): boolean {
  if (Object.hasOwn(head.annotations, key) && head.annotations[key] === value) return false;
  const ofKind = lintedSourceKinds.filter(
    (kind) => dialect.kinds[kind].named === key || dialect.kinds[kind].auto === key,
  );
  const kinds = ofKind.length === 0 ? lintedSourceKinds : ofKind;
  return kinds.every((kind) => optIn.kinds[kind].origin === "workload");
}

function lintRolloutStrategy(place: LintPlace, kind: string, value: string): readonly LintFinding[] {
  if (kind !== "Rollout")
    return [
      misplaced(place, value, `has no effect on a ${kind}: it counts on an Argo Rollout`, "take it away"),
    ];
  if (value === "restart" || value === "rollout") return [];
  const problem = 'is neither "rollout" nor "restart" and counts as "rollout"';
  const remark: LintRemark = { rule: "annotation-unreadable", value, problem, mend: "write one of the two" };
  return [lintFinding(place, remark)];
}

function notExactlyTrue(place: LintPlace, value: string): readonly LintFinding[] {
  if (["true", "false", ""].includes(value)) return [];
  const problem = 'is not the exact text "true" and counts as false';
  return [lintFinding(place, { rule: "annotation-unreadable", value, problem, mend: 'write "true"' })];
}

function misplaced(place: LintPlace, value: string, problem: string, mend: string): LintFinding {
  return lintFinding(place, { rule: "annotation-misplaced", value, problem, mend });
}

/** The mend quotes a number or boolean. For any other value it only asks for a text. */
function notText(place: LintPlace, value: unknown): LintFinding {
  const text = typeof value === "boolean" || typeof value === "number" ? String(value) : "";
  const mend = text === "" ? "write a text in quotes" : `write "${text}" in quotes`;
  const problem = "is no text, and the API server refuses an annotation that is none";
  return lintFinding(place, { rule: "annotation-not-text", value: text, problem, mend });
}

function unknownKey(place: LintPlace, value: unknown, nearest: string | undefined): LintFinding {
  return lintFinding(place, {
    rule: "annotation-unknown",
    value: typeof value === "string" ? value : "",
    problem: "is under an annotation that nothing reads",
    mend: nearest === undefined ? "take it away" : `write ${nearest} if that is meant`,
  });
}
