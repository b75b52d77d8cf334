import type { ClusterStatus } from "./cluster-status.ts";

/** A registration, as far as it says which cluster it leads to. */
interface ClusterRegistration {
  /** Undefined: it is not known yet. */
  readonly id?: string | undefined;
  readonly status?: ClusterStatus | undefined;
}

/**
 * One registration for each cluster, in their order: that by which it is served. Registrations whose cluster is not known are all kept. All
 * registrations of a cluster have its id, so a sum over them counts its workloads more than once.
 */
export function eachClusterOnce<C extends ClusterRegistration>(registrations: readonly C[]): readonly C[] {
  const servedFirst = [
    ...registrations.filter((one) => !isAlias(one)),
    ...registrations.filter((one) => isAlias(one)),
  ];
  const chosen = new Map<string, C>();
  for (const one of servedFirst) if (one.id !== undefined && !chosen.has(one.id)) chosen.set(one.id, one);
  return registrations.filter((one) => one.id === undefined || chosen.get(one.id) === one);
}

function isAlias({ status }: ClusterRegistration): boolean {
  return status?.state === "Alias";
}
