import type { AnnotationDialect } from "../annotation/dialect.ts";
import type { CompilePattern } from "../annotation/name-list.ts";
import { type AnnotatedWorkload, type OptIn, readOptIn } from "../annotation/opt-in.ts";
import { judge } from "../decision/judge.ts";
import { jsonText } from "../json.ts";
import { knownKinds } from "../kind/known-kinds.ts";
import { collectReferences, type Reference } from "../reference/collect.ts";
import type { SourceKind, SourceRef } from "../source/source.ts";
import { type PodTemplate, parsePodTemplate } from "../workload/pod-template.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";
import type { LintPlace } from "./finding.ts";
import { type KnownSource, type KnownSources, knownSources } from "./known-source.ts";
import {
  type LintManifest,
  type ManifestHead,
  type ManifestPath,
  manifestHead,
  manifestLabel,
  valueAt,
} from "./manifest.ts";

/** The kinds of sources, in the order in which findings name them. */
export const lintedSourceKinds = [
  "ConfigMap",
  "Secret",
  "SecretProviderClass",
] as const satisfies readonly SourceKind[];

/** The settings that change the meaning of manifests. */
export interface LintSettings {
  readonly dialect: AnnotationDialect;
  readonly autoReloadAll: boolean;
  readonly compile: CompilePattern;
}

/** A workload of the given files, read as the running product reads it. */
export interface LintedWorkload {
  readonly manifest: LintManifest;
  readonly head: ManifestHead;
  /** Path to its pod template; undefined when another object has the template. */
  readonly templatePath: readonly string[] | undefined;
  /** False if its pods are described elsewhere: in an object that it refers to, or in the base of a kustomize patch. */
  readonly hasPods: boolean;
  readonly template: PodTemplate;
  readonly references: readonly Reference[];
  readonly optIn: OptIn;
  readonly dialect: AnnotationDialect;
  /** The sources of the files. */
  readonly sources: KnownSources;
}

/** The workloads of the files, of the kinds that are known without being declared. */
export function lintedWorkloads(
  manifests: readonly LintManifest[],
  settings: LintSettings,
): readonly LintedWorkload[] {
  const sources = knownSources(manifests);
  return manifests.flatMap((manifest) => {
    const head = manifestHead(manifest.object);
    const kind = knownKinds.find(({ apiKind, group }) => apiKind === head.kind && group === head.group);
    if (kind === undefined || head.name === "") return [];
    const { autoReloadAll, compile, dialect } = settings;
    const read = (annotated: AnnotatedWorkload) => readOptIn(annotated, dialect, { autoReloadAll }, compile);
    return [linted(manifest, kind, { dialect, sources, read })];
  });
}

interface LintReading {
  readonly dialect: AnnotationDialect;
  readonly sources: KnownSources;
  readonly read: (annotated: AnnotatedWorkload) => OptIn;
}

/** Reads a live workload like a file without any other objects: which sources exist is not known. */
export function lintedAlone(
  manifest: LintManifest,
  kind: WorkloadKind,
  given: { readonly dialect: AnnotationDialect; readonly optIn: OptIn },
): LintedWorkload {
  return linted(manifest, kind, {
    dialect: given.dialect,
    sources: knownSources([]),
    read: () => given.optIn,
  });
}

function linted(
  manifest: LintManifest,
  kind: WorkloadKind,
  { dialect, sources, read }: LintReading,
): LintedWorkload {
  const head = manifestHead(manifest.object);
  const isReferring = jsonText(valueAt(manifest.object, ["spec", "workloadRef", "name"])) !== undefined;
  const template = parsePodTemplate(valueAt(manifest.object, kind.templatePath));
  return {
    manifest,
    head,
    templatePath: isReferring ? undefined : kind.templatePath,
    hasPods: !isReferring && template.spec.containers.length > 0,
    template,
    references: collectReferences(template, head.namespace),
    optIn: read({ annotations: head.annotations, templateAnnotations: template.metadata.annotations }),
    dialect,
    sources,
  };
}

/** Whether a change of the source rolls the workload. */
export function isRolledBy(workload: LintedWorkload, ref: SourceRef): boolean {
  const known = workload.sources.inReach(ref.kind, ref.namespace).get(ref.name);
  const source = { ref, annotations: known?.annotations ?? {} };
  const reference = workload.references.find(
    ({ source: { kind, name } }) => kind === ref.kind && name === ref.name,
  );
  return judge({ optIn: workload.optIn, source, reference }).reload;
}

/** The names of a kind that the pod template uses. */
export function usedNames(workload: LintedWorkload, kind: SourceKind): readonly string[] {
  return workload.references.filter(({ source }) => source.kind === kind).map(({ source }) => source.name);
}

/** By name, the sources of a kind in the files that the workload may use. */
export function givenSources(
  { head, sources }: LintedWorkload,
  kind: SourceKind,
): ReadonlyMap<string, KnownSource> {
  return sources.inReach(kind, head.namespace);
}

/** A field of an object. */
export function lintPlaceOf(manifest: LintManifest, path: ManifestPath, field = path.join(".")): LintPlace {
  const object = manifestLabel(manifestHead(manifest.object));
  return { file: manifest.file, position: manifest.positionOf(path), object, field };
}

/** The place of an annotation that counts for the kind of source: on the workload or on its pod template. */
export function annotationPlace(
  { dialect, manifest, optIn, templatePath }: LintedWorkload,
  annotation: string,
): LintPlace {
  const origins = lintedSourceKinds
    .filter((kind) => annotation === dialect.kinds[kind].named || annotation === dialect.kinds[kind].auto)
    .map((kind) => optIn.kinds[kind].origin);
  const isShared = annotation === dialect.auto || annotation === dialect.search;
  const isOnWorkload = isShared
    ? valueAt(manifest.object, ["metadata", "annotations", annotation]) !== undefined
    : !origins.includes("template");
  const owner = isOnWorkload || templatePath === undefined ? [] : templatePath;
  return lintPlaceOf(manifest, [...owner, "metadata", "annotations", annotation], annotation);
}

/** The text of an annotation that counts for the kind of source. */
export function countedText(workload: LintedWorkload, kind: SourceKind, annotation: string): string {
  const { head, optIn, template } = workload;
  const annotations =
    optIn.kinds[kind].origin === "workload" ? head.annotations : template.metadata.annotations;
  return Object.hasOwn(annotations, annotation) ? (annotations[annotation] ?? "") : "";
}
