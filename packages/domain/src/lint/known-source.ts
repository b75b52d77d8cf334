import { isJsonObject, jsonField, jsonList, jsonText } from "../json.ts";
import type { SourceKind } from "../source/source.ts";
import type { Annotations } from "../workload/workload.ts";
import { isSameNamespace, type LintManifest, manifestHead, valueAt } from "./manifest.ts";

/** A source that the given files have, or that an object of theirs makes. */
export interface KnownSource {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  /** Empty when another object makes it. */
  readonly annotations: Annotations;
  readonly isImmutable: boolean;
}

/** The sources of the files. */
export interface KnownSources {
  readonly all: readonly KnownSource[];
  /** By name, those of a kind that a workload of the namespace may use. */
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

/** Where the kinds that make a Secret under another name say which; the name of the object counts when they do not. */
const makers: ReadonlyMap<string, readonly string[]> = new Map([
  ["external-secrets.io/ExternalSecret", ["spec", "target", "name"]],
  ["bitnami.com/SealedSecret", ["spec", "template", "metadata", "name"]],
  ["cert-manager.io/Certificate", ["spec", "secretName"]],
]);

function madeSources(object: unknown): readonly KnownSource[] {
  const { group, kind, name, namespace } = manifestHead(object);
  const made = (sourceKind: SourceKind, madeName: string | undefined): readonly KnownSource[] =>
    madeName === undefined || madeName === ""
      ? []
      : [{ kind: sourceKind, namespace, name: madeName, annotations: {}, isImmutable: false }];
  if (kind === "SecretProviderClass")
    return namesIn(valueAt(object, ["spec", "secretObjects"]), "secretName").flatMap((each) =>
      made("Secret", each),
    );
  if (kind === "Kustomization" && group.startsWith("kustomize.config."))
    return [
      ...namesIn(jsonField(object, "configMapGenerator"), "name").flatMap((each) => made("ConfigMap", each)),
      ...namesIn(jsonField(object, "secretGenerator"), "name").flatMap((each) => made("Secret", each)),
    ];
  const path = makers.get(`${group}/${kind}`);
  return path === undefined ? [] : made("Secret", jsonText(valueAt(object, path)) ?? name);
}

function namesIn(list: unknown, field: string): readonly (string | undefined)[] {
  return jsonList(list)
    .filter(isJsonObject)
    .map((item) => jsonText(jsonField(item, field)));
}
