import type { ManagedWorkload } from "../overview/fleet-overview.ts";
import { servedClusters } from "../overview/registered-clusters.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { ActedFleet } from "./acted-fleet.ts";
import type { NamedObject } from "./named-object.ts";
import { usesSource } from "./uses-source.ts";

/** Where to look for an object; empty: everywhere. */
export interface ObjectPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The opted-in workloads that are the object, or that use it. */
export async function meantWorkloads(
  object: NamedObject,
  { cluster, namespace }: ObjectPlace,
  { names, overview }: Pick<ActedFleet, "names" | "overview">,
): Promise<readonly Request[]> {
  const isMeant = async (workload: ManagedWorkload): Promise<boolean> => {
    const { ref } = workload;
    if (namespace !== "" && ref.namespace !== namespace) return false;
    if (object.type === "workload") return ref.kind === object.kind && ref.name === object.name;
    return await usesSource(workload, object, names);
  };
  const meantOf = async (id: ClusterId): Promise<readonly Request[]> => {
    const meant: Request[] = [];
    for (const workload of await overview.managed(id))
      if (await isMeant(workload)) meant.push({ cluster: id, workload: workload.ref });
    return meant;
  };
  const clusters = await servedClusters(overview, cluster);
  const found = await Promise.all(clusters.map(({ id }) => (id === undefined ? [] : meantOf(id))));
  return found.flat();
}
