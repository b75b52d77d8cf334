import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import {
  clustersOf,
  coverageOf,
  type FreezeCoverage,
  type RegisteredCluster,
  type ReloadedWorkload,
} from "@fleet-reloader/domain/hold/freeze-coverage";
import type { FleetOverview } from "../overview/fleet-overview.ts";
import { usesOfWorkload } from "./uses-of-workload.ts";

/** What a freeze covers of the clusters that are registered now; reads the workloads of those that it is about. */
export async function coveredByFreeze(
  scope: FreezeScope,
  registered: readonly RegisteredCluster[],
  { compile, managed }: { readonly compile: CompilePattern; readonly managed: FleetOverview["managed"] },
): Promise<FreezeCoverage> {
  const ids = clustersOf(scope, registered).clusters.flatMap(({ id }) => id ?? []);
  const workloads = new Map<string, readonly ReloadedWorkload[]>(
    await Promise.all(
      ids.map(async (id) => [id, (await managed(id)).map((each) => usesOfWorkload(each, compile))] as const),
    ),
  );
  return coverageOf(scope, registered, ({ id }) => workloads.get(id ?? "") ?? []);
}
