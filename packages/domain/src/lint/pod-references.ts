import { isJsonObject, jsonField, jsonList, jsonText } from "../json.ts";
import type { Reference, ReferenceUse } from "../reference/collect.ts";
import { coversKeys, objectsInVolume } from "../reference/object-use.ts";
import type { SourceRef } from "../source/source.ts";
import { type LintFinding, type LintPlace, type LintRemark, lintFinding } from "./finding.ts";
import {
  annotationPlace,
  givenSources,
  isRolledBy,
  type LintedWorkload,
  lintedSourceKinds,
  lintPlaceOf,
} from "./linted-workload.ts";
import { type ManifestPath, valueAt } from "./manifest.ts";

/** Findings about how the pod template uses sources. Only for workloads that opt in. */
export function lintPodReferences(workload: LintedWorkload): readonly LintFinding[] {
  if (!workload.hasPods || !hasOptedIn(workload)) return [];
  return [
    ...subPathMounts(workload),
    ...optionalsWithoutEffect(workload),
    ...optionalNotCovered(workload),
    ...peerDiffers(workload),
  ];
}

/** Whether the workload opts in to anything. */
export function hasOptedIn({ optIn }: Pick<LintedWorkload, "optIn">): boolean {
  return lintedSourceKinds.some((kind) => {
    const { auto, autoForKind, autoReloadAll, named, search } = optIn.kinds[kind];
    const isNaming = named.exact.length > 0 || named.patterns.length > 0;
    return isNaming || auto || autoForKind || autoReloadAll || search;
  });
}

/** A place in the pod template. Its path is always known here, because templates in other objects are not checked. */
function templatePlace(workload: LintedWorkload, path: ManifestPath) {
  return lintPlaceOf(workload.manifest, [...(workload.templatePath ?? []), ...path]);
}

/** Mounts that Kubernetes never updates, with sources that do not roll the workload. */
export function subPathMounts(workload: LintedWorkload): readonly LintFinding[] {
  const spec = jsonField(valueAt(workload.manifest.object, workload.templatePath ?? []), "spec");
  return ["containers", "initContainers"].flatMap((list) =>
    jsonList(jsonField(spec, list)).flatMap((container, at) =>
      jsonList(jsonField(container, "volumeMounts")).flatMap((mount, mountAt) => {
        const field = subPathFields.find((each) => jsonText(jsonField(mount, each)) !== undefined);
        if (field === undefined || !isJsonObject(mount)) return [];
        const place = templatePlace(workload, ["spec", list, at, "volumeMounts", mountAt, field]);
        const value = jsonText(mount[field]) ?? "";
        return staleSources(workload, mount.name).map((name) =>
          lintFinding(place, subPathRemark({ name, field, value })),
        );
      }),
    ),
  );
}

const subPathFields = ["subPath", "subPathExpr"] as const;

function subPathRemark({
  name,
  field,
  value,
}: Readonly<Record<"name" | "field" | "value", string>>): LintRemark {
  return {
    rule: "mount-by-subpath",
    value,
    problem: `mounts a file of ${name}, which no annotation covers: Kubernetes never updates such a mount, so the pods keep the old content`,
    mend: `name ${name} in an annotation, or mount the volume without ${field}`,
  };
}

/** The sources in a volume that do not roll the workload. */
function staleSources(workload: LintedWorkload, volumeName: unknown): readonly string[] {
  const { namespace } = workload.head;
  return workload.template.spec.volumes
    .filter(({ name }) => name === volumeName)
    .flatMap((volume) => objectsInVolume(volume))
    .filter(({ kind, name }) => isLeftUncovered(workload, { kind, namespace, name }))
    .map(({ kind, name }) => `the ${kind} ${name}`);
}

/**
 * Whether no annotation covers a source and none excludes it on purpose. For a workload with the `search` annotation, nobody knows whether a
 * source that no file has would match.
 */
function isLeftUncovered(workload: LintedWorkload, source: SourceRef): boolean {
  const { excluded, search } = workload.optIn.kinds[source.kind];
  const given = givenSources(workload, source.kind).get(source.name);
  const isLeftOut = excluded.has(source.name) || given?.annotations[workload.dialect.ignore] === "true";
  return !isLeftOut && !(search && given === undefined) && !isRolledBy(workload, source);
}

/** Optional references to something that another reference requires. */
export function optionalsWithoutEffect(workload: LintedWorkload): readonly LintFinding[] {
  return workload.references.flatMap((reference) => optionalWithoutEffect(workload, reference));
}

function optionalWithoutEffect(
  workload: LintedWorkload,
  { source, uses }: Reference,
): readonly LintFinding[] {
  const required = uses.filter(({ optional }) => !optional);
  const isIdle = uses.some((use) => use.optional && required.some((other) => needsAllOf(other, use)));
  if (!isIdle) return [];
  return [
    lintFinding(optionalPlace(workload, source), {
      rule: "optional-without-effect",
      value: source.name,
      problem: `is the name of a ${source.kind} with an optional reference, and another reference requires the same: the pod does not start without it`,
      mend: "make both optional, or take optional away",
    }),
  ];
}

/** Whether a pod that has all that `required` needs also has all that `optional` reads. */
function needsAllOf(required: ReferenceUse, optional: ReferenceUse): boolean {
  return optional.keys === "all" || (required.keys !== "all" && coversKeys(required.keys, optional.keys));
}

/** One finding for the whole workload, because a pod template may have dozens of such references. */
function optionalNotCovered(workload: LintedWorkload): readonly LintFinding[] {
  const { namespace } = workload.head;
  const late = workload.references
    .filter(({ optional, uses }) => optional && uses.some(({ how }) => how === "env" || how === "envFrom"))
    .filter(({ source: { kind, name } }) => !givenSources(workload, kind).has(name))
    .map(({ source }) => source)
    .filter(({ kind, name }) => isLeftUncovered(workload, { kind, namespace, name }));
  const [first] = late;
  if (first === undefined) return [];
  const remark: LintRemark = {
    rule: "optional-not-covered",
    value: late.map(({ kind, name }) => `${kind} ${name}`).join(", "),
    problem:
      "is optional, in no given file, and covered by no annotation: a pod that starts before it exists runs on without it",
    mend: "name what may appear later in the annotation reload",
  };
  return [lintFinding(optionalPlace(workload, first), remark)];
}

/** The first `optional: true` of a reference to the source. */
function optionalPlace(workload: LintedWorkload, source: SourceRef): LintPlace {
  const spec = jsonField(valueAt(workload.manifest.object, workload.templatePath ?? []), "spec");
  return templatePlace(workload, ["spec", ...(optionalPath(spec, source) ?? [])]);
}

function optionalPath(
  value: unknown,
  source: SourceRef,
  path: ManifestPath = [],
): readonly (string | number)[] | undefined {
  const owner = String(path.at(-1)).toLowerCase();
  const isOfSource = [jsonField(value, "name"), jsonField(value, "secretName")].includes(source.name);
  if (isOfSource && owner.startsWith(source.kind.toLowerCase()) && jsonField(value, "optional") === true)
    return [...path, "optional"];
  const fields: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(isJsonObject(value) ? value : {});
  for (const [field, inner] of fields) {
    const found = optionalPath(inner, source, [...path, field]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function peerDiffers(workload: LintedWorkload): readonly LintFinding[] {
  const { dialect, head, manifest } = workload;
  const isPeers = Object.keys(head.annotations).some((key) => key.includes("stakater.com/"));
  const remark = (value: string, problem: string): LintRemark => {
    return { rule: "peer-differs", value, problem, mend: "nothing, unless Stakater Reloader serves it too" };
  };
  if (isPeers && head.kind === "DeploymentConfig")
    return [
      lintFinding(
        lintPlaceOf(manifest, ["kind"]),
        remark(head.kind, "is a kind that Stakater Reloader does not serve, and fleet-reloader does"),
      ),
    ];
  return workload.references
    .filter(({ uses }) =>
      uses.every(({ how, container }) => how !== "env" && how !== "envFrom" && container === undefined),
    )
    .filter(({ source }) => isRolledBy(workload, source) && !isNamedIn(workload, source))
    .map(({ source: { kind, name } }) =>
      lintFinding(
        workload.optIn.kinds[kind].autoForKind
          ? annotationPlace(workload, dialect.kinds[kind].auto)
          : templatePlace(workload, ["spec", "volumes"]),
        remark(
          name,
          `is a ${kind} in a volume that no container mounts: a change of it rolls the workload here, and does not with Stakater Reloader`,
        ),
      ),
    );
}

function isNamedIn({ optIn }: LintedWorkload, { kind, name }: Reference["source"]): boolean {
  return optIn.kinds[kind].named.exact.includes(name);
}
