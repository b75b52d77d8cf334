import type { ClusterStatus } from "./cluster-status.ts";

/** The part of a registration that says which cluster it leads to. */
interface ClusterRegistration {
  /** Undefined: it is not known yet. */
  readonly id?: string | undefined;
  readonly status?: ClusterStatus | undefined;
}

/**
 * Keeps one registration for each cluster, in the given order: the one that serves it. Registrations whose cluster is not known are all kept.
 * All registrations of a cluster have its id, so a sum over all of them counts its workloads more than once.
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
 * The names of the registrations that serve the clusters with this name or id; the given name itself if nobody has registered it. Rights on a
 * cluster are checked with these names, because anyone who may register clusters can register another name for somebody else's cluster.
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
