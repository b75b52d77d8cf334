import type { ListedCluster } from "@fleet-reloader/domain/cluster/listed-cluster";
import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import {
  coverageOf,
  type FreezeCoverage,
  frozenClustersOf,
  type ReloadedWorkload,
} from "@fleet-reloader/domain/hold/freeze-coverage";
import type { NameMatches } from "../observe/name-matches.ts";
import type { FleetOverview, ManagedWorkload } from "../overview/fleet-overview.ts";
import { usedSources } from "../overview/used-sources.ts";
import { usesSource } from "./uses-source.ts";

/** The part of the registered clusters that a freeze covers. Reads the workloads of the clusters that the freeze concerns. */
export async function coveredByFreeze(
  scope: FreezeScope,
  registered: readonly ListedCluster[],
  { managed, names }: { readonly managed: FleetOverview["managed"]; readonly names: NameMatches },
): Promise<FreezeCoverage> {
  const ids = frozenClustersOf(scope, registered).clusters.flatMap(({ id }) => id ?? []);
  const workloads = new Map<string, readonly ReloadedWorkload[]>(
    await Promise.all(
      ids.map(async (id) => [id, await reloadedWorkloads(scope, await managed(id), names)] as const),
    ),
  );
  return coverageOf(scope, registered, ({ id }) => workloads.get(id ?? "") ?? []);
}

async function reloadedWorkloads(
  { namespace, source }: FreezeScope,
  workloads: readonly ManagedWorkload[],
  names: NameMatches,
): Promise<readonly ReloadedWorkload[]> {
  const reloaded: ReloadedWorkload[] = [];
  for (const workload of workloads) {
    const { ref, templateOwner } = workload;
    const isAsked = source !== undefined && (namespace === undefined || namespace === ref.namespace);
    const uses = isAsked && (await usesSource(workload, source, names));
    reloaded.push({ ref, templateOwner, sources: usedSources(workload), uses });
  }
  return reloaded;
}

/** No reader needs more names. */
const namedClustersMax = 5;

/** A sentence without an end about what a freeze covers: it names the first ones of many clusters. */
export function freezeCoverageText({ clusters, missing, workloads }: FreezeCoverage): string {
  if (missing !== undefined) return `it covers nothing: ${missing}`;
  const more = clusters.length - namedClustersMax;
  const names = `${clusters.slice(0, namedClustersMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
  return `it covers ${counted(workloads, "workload")} of ${counted(clusters.length, "cluster")}: ${names}`;
}
