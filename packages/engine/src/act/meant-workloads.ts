import type { ManagedWorkload } from "../overview/fleet-overview.ts";
import { servedClusters } from "../overview/registered-clusters.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { ActedFleet } from "./acted-fleet.ts";
import type { NamedObject } from "./named-object.ts";
import { usesOfWorkload } from "./uses-of-workload.ts";

/** Where to look for an object; empty: everywhere. */
export interface ObjectPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The opted-in workloads that are the object, or that use it. */
export async function meantWorkloads(
  object: NamedObject,
  { cluster, namespace }: ObjectPlace,
  { compile, overview }: Pick<ActedFleet, "compile" | "overview">,
): Promise<readonly Request[]> {
  const isMeant = (workload: ManagedWorkload): boolean => {
    const { ref } = workload;
    if (namespace !== "" && ref.namespace !== namespace) return false;
    if (object.type === "workload") return ref.kind === object.kind && ref.name === object.name;
    return usesOfWorkload(workload, compile).uses({ kind: object.kind, name: object.name });
  };
  const meantOf = async (id: ClusterId): Promise<readonly Request[]> =>
    (await overview.managed(id)).filter(isMeant).map(({ ref }) => ({ cluster: id, workload: ref }));
  const clusters = await servedClusters(overview, cluster);
  const found = await Promise.all(clusters.map(({ id }) => (id === undefined ? [] : meantOf(id))));
  return found.flat();
}
