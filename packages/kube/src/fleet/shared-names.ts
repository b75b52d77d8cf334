import type { Engaged } from "./engagement.ts";

type NamedCluster = Pick<Engaged, "cluster" | "name">;

/** The cluster with this displayed name; undefined when there is none, or more than one. */
export function onlyNamed<C extends NamedCluster>(name: string, engaged: readonly C[]): C | undefined {
  const [its, ...others] = engaged.filter((one) => one.name === name);
  return others.length === 0 ? its : undefined;
}

/** By name one sentence for people: which clusters have it, when there are several. */
export function sharedNames(engaged: readonly NamedCluster[]): ReadonlyMap<string, string> {
  const named = [...Map.groupBy(engaged, ({ name }) => name)];
  return new Map(
    named.flatMap(([name, its]) => {
      if (its.length === 1) return [];
      const ids = its.map(({ cluster }) => cluster).join(" and ");
      const why = `clusters ${ids} are all called ${name}, so audit events for this name are refused`;
      return [[name, `${why}; give each a name of its own`] as const];
    }),
  );
}
