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

/**
 * The names of the registrations that serve the clusters of a name or id; the name itself where nobody has registered it. Rights on a cluster go by these:
 * everybody who may register clusters can register one more name for a cluster of others.
 */
export function servingNamesOf(
  called: string,
  registrations: readonly (ClusterRegistration & { readonly name: string })[],
): readonly string[] {
  const serving = eachClusterOnce(registrations);
  const names = registrations
    .filter(({ id, name }) => name === called || id === called)
    .map(({ id, name }) => serving.find((one) => id !== undefined && one.id === id)?.name ?? name);
  return names.length === 0 ? [called] : [...new Set(names)];
}

function isAlias({ status }: ClusterRegistration): boolean {
  return status?.state === "Alias";
}
