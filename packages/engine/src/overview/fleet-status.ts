import { eachClusterOnce } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { countByReason } from "./by-reason.ts";
import type { ChangeSummary } from "./changes/change-summary.ts";
import { type ClusterHealth, clusterHealth } from "./cluster-health.ts";
import type { FleetOverview, QueueOverview } from "./fleet-overview.ts";
import { type FreezeInForce, freezesInForce } from "./freezes-in-force.ts";
import { chosenClusters } from "./registered-clusters.ts";

/** How a status is read. */
export interface StatusOptions {
  readonly nowMs: number;
  /** Whether every workload of the fleet is shown here. */
  readonly seesAll: boolean;
}

/** The state of a whole fleet: only what needs a person, and counts of the rest. */
export interface FleetStatus {
  readonly clusters: {
    readonly count: number;
    readonly sickCount: number;
    /** Opted-in workloads of all clusters. */
    readonly workloads: number;
    readonly sick: readonly ClusterHealth[];
  };
  readonly queue: QueueOverview;
  /** Requests on hold by reason. */
  readonly held: Readonly<Record<string, number>>;
  readonly freezeCount: number;
  /** The freezes in force. */
  readonly freezes: readonly FreezeInForce[];
  /** Why some freezes are missing here, and nothing is rolled. */
  readonly unreadableFreezes: string | undefined;
  readonly changes: {
    readonly count: number;
    readonly openCount: number;
    /** Workloads of all open changes. A workload with two open changes counts twice. */
    readonly openWorkloads: OpenWorkloads;
    readonly open: readonly ChangeSummary[];
  };
}

/** The states of the workloads of open changes. */
type OpenWorkloads = Readonly<Record<"rolling" | "held" | "failed" | "stalled", number>>;

/** Reads the state of a fleet, apart from its changes. */
export async function fleetStatus(
  overview: FleetOverview,
  changes: readonly ChangeSummary[],
  { nowMs, seesAll }: StatusOptions,
): Promise<FleetStatus> {
  const [registered, queue, holds, known, unreadableFreezes] = await Promise.all([
    chosenClusters(overview, ""),
    overview.queue(),
    overview.holds(),
    overview.freezes(),
    overview.unreadableFreezes(),
  ]);
  const managed = seesAll ? (cluster: string) => overview.managed(cluster) : undefined;
  const freezes = await freezesInForce(known, { clusters: registered, managed, nowMs });
  const clusters = clusterHealth(registered, holds);
  const sick = clusters.filter(({ problems }) => problems.length > 0);
  return {
    clusters: {
      count: clusters.length,
      sickCount: sick.length,
      workloads: eachClusterOnce(clusters).reduce((sum, one) => sum + one.workloads, 0),
      sick,
    },
    queue,
    held: countByReason(holds),
    freezeCount: freezes.length,
    freezes,
    unreadableFreezes,
    changes: changesNow(changes),
  };
}

function changesNow(changes: readonly ChangeSummary[]): FleetStatus["changes"] {
  const open = changes.filter(({ isDone }) => !isDone);
  const sum = (of: keyof OpenWorkloads) => open.reduce((total, { workloads }) => total + workloads[of], 0);
  const openWorkloads = {
    rolling: sum("rolling"),
    held: sum("held"),
    failed: sum("failed"),
    stalled: sum("stalled"),
  };
  return { count: changes.length, openCount: open.length, openWorkloads, open };
}
