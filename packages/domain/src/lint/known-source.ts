import { jsonField, jsonList, jsonText, jsonTexts } from "../json.ts";
import type { SourceKind } from "../source/source.ts";
import type { Annotations } from "../workload/workload.ts";
import { isSameNamespace, type LintManifest, manifestHead } from "./manifest.ts";

/** A source that one of the given files has, or that an object in them makes. */
export interface KnownSource {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Annotations;
  readonly isImmutable: boolean;
}

/** The sources of the files. */
export interface KnownSources {
  readonly all: readonly KnownSource[];
  /** By name, the sources of a kind that a workload of the namespace may use. */
  readonly inReach: (kind: SourceKind, namespace: string) => ReadonlyMap<string, KnownSource>;
}

/** Every source of the files. Content is never read: only metadata and `immutable`. */
export function knownSources(manifests: readonly LintManifest[]): KnownSources {
  const all = manifests.flatMap(({ object }) => [...ownSource(object), ...madeSources(object)]);
  const reached = new Map<string, ReadonlyMap<string, KnownSource>>();
  return {
    all,
    inReach: (kind, namespace) => {
      const key = `${kind}/${namespace}`;
      const known =
        reached.get(key) ??
        new Map(
          all
            .filter((source) => source.kind === kind && isSameNamespace(source.namespace, namespace))
            .map((source) => [source.name, source]),
        );
      reached.set(key, known);
      return known;
    },
  };
}

function ownSource(object: unknown): readonly KnownSource[] {
  const { annotations, group, kind, name, namespace } = manifestHead(object);
  const sourceKind = sourceKindIn(group, kind);
  if (sourceKind === undefined || name === "") return [];
  const isImmutable = jsonField(object, "immutable") === true;
  return [{ kind: sourceKind, namespace, name, annotations, isImmutable }];
}

export function sourceKindIn(group: string, kind: string): SourceKind | undefined {
  if (group === "" && (kind === "ConfigMap" || kind === "Secret")) return kind;
  return group === "secrets-store.csi.x-k8s.io" && kind === "SecretProviderClass" ? kind : undefined;
}

/** A source that an object makes, as that object describes it. */
type MadeSource = Pick<KnownSource, "kind" | "annotations"> & { readonly name: string | undefined };

/** For each kind that makes a Secret: the fields that hold the Secret's name and annotations. Without a name there, the object's own name counts. */
const secretMakers: ReadonlyMap<
  string,
  Readonly<Record<"name" | "annotations", readonly string[]>>
> = new Map([
  [
    "external-secrets.io/ExternalSecret",
    {
      name: ["spec", "target", "name"],
      annotations: ["spec", "target", "template", "metadata", "annotations"],
    },
  ],
  [
    "bitnami.com/SealedSecret",
    {
      name: ["spec", "template", "metadata", "name"],
      annotations: ["spec", "template", "metadata", "annotations"],
    },
  ],
  [
    "cert-manager.io/Certificate",
    { name: ["spec", "secretName"], annotations: ["spec", "secretTemplate", "annotations"] },
  ],
]);

function madeSources(object: unknown): readonly KnownSource[] {
  const { namespace } = manifestHead(object);
  return madeBy(object).flatMap(({ annotations, kind, name = "" }) =>
    name === "" ? [] : [{ kind, namespace, name, annotations, isImmutable: false }],
  );
}

function madeBy(object: unknown): readonly MadeSource[] {
  const { annotations, group, kind, name } = manifestHead(object);
  if (kind === "SecretProviderClass")
    return jsonList(object, "spec", "secretObjects").map((item) => {
      return {
        kind: "Secret",
        name: jsonText(item, "secretName"),
        annotations: jsonTexts(item, "annotations"),
      };
    });
  if (kind === "Kustomization" && group.startsWith("kustomize.config."))
    return [
      ...generatedSources(object, "configMapGenerator", "ConfigMap"),
      ...generatedSources(object, "secretGenerator", "Secret"),
    ];
  const paths = secretMakers.get(`${group}/${kind}`);
  if (paths === undefined) return [];
  const given = copiesItsOwn(object) ? annotations : jsonTexts(object, ...paths.annotations);
  return [{ kind: "Secret", name: jsonText(object, ...paths.name) ?? name, annotations: given }];
}

/** An ExternalSecret without a template gives the Secret its own annotations. */
function copiesItsOwn(object: unknown): boolean {
  const { kind } = manifestHead(object);
  return kind === "ExternalSecret" && jsonField(object, "spec", "target", "template") === undefined;
}

function generatedSources(object: unknown, field: string, kind: SourceKind): readonly MadeSource[] {
  const ofAll = jsonTexts(object, "generatorOptions", "annotations");
  return jsonList(object, field).map((item) => {
    const annotations = Object.assign({}, ofAll, jsonTexts(item, "options", "annotations"));
    return { kind, name: jsonText(item, "name"), annotations };
  });
}
