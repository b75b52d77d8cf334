import type { FreezeScope } from "./freeze.ts";

/** Clusters are called by name or by the uid of their kube-system. A uid and a name may be of one cluster. */
const uid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Whether two freezes may hold the same roll, as far as their scopes say. Two kinds of naming the same thing, such as a name and labels of a
 * cluster, may overlap: only the fleet knows.
 */
export function mayOverlap(one: FreezeScope, other: FreezeScope): boolean {
  return (
    areSameCluster(one.cluster, other.cluster) &&
    areSame(one.namespace, other.namespace) &&
    areSame(scopedObject(one.workload), scopedObject(other.workload)) &&
    areSame(scopedObject(one.source), scopedObject(other.source))
  );
}

function areSameCluster(one: string | undefined, other: string | undefined): boolean {
  return areSame(one, other) || uid.test(one ?? "") !== uid.test(other ?? "");
}

/** What a scope does not say restricts nothing. */
function areSame(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function scopedObject(
  object: { readonly kind: string; readonly name: string } | undefined,
): string | undefined {
  return object && `${object.kind}/${object.name}`;
}
