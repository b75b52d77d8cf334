import { type SourceRef, sourceKey } from "../source/source.ts";
import type { PodTemplate } from "../workload/pod-template.ts";
import { type ObjectUse, objectsInEnv, objectsInVolume, type ReferencedKeys } from "./object-use.ts";

/** One place in a pod template where a source is used. */
export interface ReferenceUse {
  readonly how: ObjectUse["how"];
  /** The container that sees it; absent for a volume that no container mounts. */
  readonly container?: string;
  readonly optional: boolean;
  readonly keys: ReferencedKeys;
}

/** All uses of one source by one pod template. */
export interface Reference {
  readonly source: SourceRef;
  readonly uses: readonly ReferenceUse[];
  /** Every use is optional, so the pod starts without the source. */
  readonly optional: boolean;
  /** The keys that any of the uses reads; `"all"` if one of them reads the whole object. */
  readonly keys: ReferencedKeys;
}

/**
 * Every source of the namespace that the pods of this template read, sorted by source.
 *
 * This is the peer's rule (compat section 2), plus uses that the peer misses, where that is safe: a volume that no container mounts (kubelet
 * materialises it all the same, and the pod does not start without it), ephemeral containers, and every use instead of the first. As with the
 * peer, pull secrets, service accounts, secrets of volume drivers and names inside arguments are no references.
 */
export function collectReferences(template: PodTemplate, namespace: string): readonly Reference[] {
  const bySource = Map.groupBy(usesIn(template), ({ object: { kind, name } }) =>
    sourceKey({ kind, namespace, name }),
  );
  return [...bySource]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, uses]) => {
      const [first] = uses;
      return first === undefined ? [] : [toReference(first.object, namespace, uses)];
    });
}

interface PlacedUse {
  readonly object: ObjectUse;
  readonly container?: string;
}

function usesIn(template: PodTemplate): readonly PlacedUse[] {
  const { containers, initContainers, ephemeralContainers, volumes } = template.spec;
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  return [
    ...all.flatMap((container) =>
      objectsInEnv(container).map((object) => ({ object, container: container.name })),
    ),
    ...volumes.flatMap((volume) => {
      const mounting = all.filter(({ volumeMounts }) =>
        volumeMounts.some(({ name }) => name === volume.name),
      );
      return objectsInVolume(volume).flatMap((object) =>
        mounting.length === 0 ? [{ object }] : mounting.map(({ name }) => ({ object, container: name })),
      );
    }),
  ];
}

function toReference(object: ObjectUse, namespace: string, placed: readonly PlacedUse[]): Reference {
  const uses = placed.map(({ object: { how, optional, keys }, container }) => {
    return { how, optional, keys, ...(container === undefined ? {} : { container }) };
  });
  return {
    source: { kind: object.kind, namespace, name: object.name },
    uses,
    optional: uses.every(({ optional }) => optional),
    keys: unionOf(uses.map(({ keys }) => keys)),
  };
}

function unionOf(keys: readonly ReferencedKeys[]): ReferencedKeys {
  const union = new Set<string>();
  for (const some of keys) {
    if (some === "all") return "all";
    for (const key of some) union.add(key);
  }
  return [...union].sort();
}
