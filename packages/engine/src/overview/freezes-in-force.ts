import { type Freeze, type FreezeScope, isInForce } from "@fleet-reloader/domain/hold/freeze";
import {
  coverageOf,
  frozenClustersOf,
  type ReloadedWorkload,
} from "@fleet-reloader/domain/hold/freeze-coverage";
import type { ClusterOverview, FleetOverview, ManagedWorkload } from "./fleet-overview.ts";
import { usedSources } from "./used-sources.ts";

/** A freeze whose end has not come. */
export interface FreezeInForce extends Freeze {
  /** The part of its scope that does not exist now, so that it holds nothing. It may be misspelt, or be created later. */
  readonly missing?: string;
}

export interface FreezesInForceOptions {
  readonly clusters: readonly ClusterOverview[];
  readonly nowMs: number;
  /** Reads the workloads of a cluster. Undefined: not all are shown here, so what a freeze covers in a cluster is not known. */
  readonly managed: FleetOverview["managed"] | undefined;
}

/**
 * Workloads that freezes are compared with for one answer, each freeze with those of its clusters. The names that are near to a misspelt one take
 * some 15 ms then, and an open page asks every second.
 */
const comparedMax = 2000;

/** The freezes in force. One that holds no workload now names the part of its scope that does not exist, if that is cheap to know. */
export async function freezesInForce(
  freezes: readonly Freeze[],
  { clusters, managed, nowMs }: FreezesInForceOptions,
): Promise<readonly FreezeInForce[]> {
  const inForce = freezes.filter((freeze) => isInForce(freeze, nowMs));
  const read = new Map<ClusterOverview, readonly ManagedWorkload[]>();
  let left = comparedMax;
  const checked: FreezeInForce[] = [];
  for (const freeze of inForce) {
    const { clusters: frozen, missing } = frozenClustersOf(freeze.scope, clusters);
    const cost = frozen.reduce((sum, { workloads }) => sum + workloads, 0);
    const isKnown = missing === undefined && isOfObjects(freeze.scope) && frozen.every(isListed);
    let idle = missing;
    if (managed !== undefined && isKnown && cost <= left) {
      left -= cost;
      for (const one of frozen) if (!read.has(one)) read.set(one, await workloadsOf(one, managed));
      const reloaded = (one: ClusterOverview) =>
        (read.get(one) ?? []).map((each) => reloadedAs(each, freeze.scope));
      idle = coverageOf(freeze.scope, clusters, reloaded).missing;
    }
    checked.push(idle === undefined ? freeze : Object.assign({}, freeze, { missing: idle }));
  }
  return checked;
}

/** A freeze of whole clusters covers what they have, and what they will have. */
function isOfObjects({ namespace, source, workload }: FreezeScope): boolean {
  return namespace !== undefined || workload !== undefined || source !== undefined;
}

/** False: its first lists may be under way. Later the index keeps what was listed. */
function isListed({ report, workloads }: ClusterOverview): boolean {
  return workloads > 0 || (report?.behindCount ?? 0) === 0;
}

async function workloadsOf(
  { id }: ClusterOverview,
  managed: FleetOverview["managed"],
): Promise<readonly ManagedWorkload[]> {
  return id === undefined ? [] : await managed(id);
}

/** A workload that names sources of the kind by a pattern may use any of them. */
function reloadedAs(workload: ManagedWorkload, { source }: FreezeScope): ReloadedWorkload {
  const { patterns, ref, templateOwner } = workload;
  const sources = usedSources(workload);
  const isNamed = sources.some(({ kind, name }) => kind === source?.kind && name === source.name);
  return { ref, templateOwner, sources, uses: isNamed || patterns.some(([kind]) => kind === source?.kind) };
}
