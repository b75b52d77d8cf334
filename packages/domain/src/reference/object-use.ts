import type { SourceKind } from "../source/source.ts";
import type { Container, ProjectedSource, Projection, Volume } from "../workload/pod-template.ts";

/** The keys of an object that a use reads: the whole object, or these (sorted, each once). */
export type ReferencedKeys = "all" | readonly string[];

/** Whether `these` keys include everything that `others` include. */
export function coversKeys(these: ReferencedKeys, others: ReferencedKeys): boolean {
  if (these === "all" || others === "all") return these === "all";
  return others.every((key) => these.includes(key));
}

/** One mention of an object in a pod template, before its containers are known. */
export interface ObjectUse {
  readonly kind: SourceKind;
  readonly name: string;
  readonly how: "env" | "envFrom" | "volume" | "projected" | "csi";
  readonly optional: boolean;
  readonly keys: ReferencedKeys;
}

/** The objects that the variables of a container read, in the order in which they are written. */
export function objectsInEnv(container: Container): readonly ObjectUse[] {
  const uses: ObjectUse[] = [];
  for (const { valueFrom } of container.env) {
    if (valueFrom === undefined) continue;
    for (const [kind, { name, key, optional }] of byKind(valueFrom.configMapKeyRef, valueFrom.secretKeyRef))
      uses.push({ kind, name, how: "env", optional, keys: [key] });
  }
  for (const { configMapRef, secretRef } of container.envFrom)
    for (const [kind, { name, optional }] of byKind(configMapRef, secretRef))
      uses.push({ kind, name, how: "envFrom", optional, keys: "all" });
  return uses;
}

/** The objects that a volume shows as files, in the order in which they are written. A `subPath` mount counts as the whole volume. */
export function objectsInVolume(volume: Volume): readonly ObjectUse[] {
  return [
    ...projections(volume, "volume"),
    ...(volume.projected?.sources ?? []).flatMap((source) => projections(source, "projected")),
    ...providerClass(volume.csi?.secretProviderClass),
  ];
}

/** The driver of the CSI volume does not matter: no other driver knows this attribute. */
function providerClass(name: string | undefined): readonly ObjectUse[] {
  if (name === undefined) return [];
  return [{ kind: "SecretProviderClass", name, how: "csi", optional: false, keys: "all" }];
}

function projections(from: ProjectedSource, how: "volume" | "projected"): readonly ObjectUse[] {
  return byKind(from.configMap, from.secret).map(([kind, { name, optional, items }]) => {
    return { kind, name, how, optional, keys: projectedKeys(items) };
  });
}

function projectedKeys(items: Projection["items"]): ReferencedKeys {
  return items.length === 0 ? "all" : [...new Set(items)].sort();
}

function byKind<T>(configMap: T | undefined, secret: T | undefined): readonly (readonly [SourceKind, T])[] {
  const found: (readonly [SourceKind, T])[] = [];
  if (configMap !== undefined) found.push(["ConfigMap", configMap]);
  if (secret !== undefined) found.push(["Secret", secret]);
  return found;
}
