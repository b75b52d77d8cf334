import {
  type ClusterStatus,
  severityOfState,
  sickStates,
} from "@fleet-reloader/domain/cluster/cluster-status";
import type { HeldRequest } from "../admission/held-requests.ts";
import type { ClusterReport } from "../ports/ownership.ts";
import type { ClusterId } from "../ports/request.ts";
import type { ClusterOverview } from "./fleet-overview.ts";

/** A cluster with its problems. */
export interface ClusterHealth extends ClusterOverview {
  /** As sentences, worst first; empty: no problem is known. */
  readonly problems: readonly string[];
  /** The number of its requests on hold. */
  readonly held: number;
}

/** The clusters with their problems: sick ones first, then those with the most requests on hold, then by name. */
export function clusterHealth(
  clusters: readonly ClusterOverview[],
  holds: readonly HeldRequest[],
): readonly ClusterHealth[] {
  const held = Map.groupBy(holds, ({ request }) => request.cluster);
  const isWatched = clusters.some(({ watcher }) => watcher !== undefined);
  return clusters
    .map((cluster) => {
      const its = held.get(cluster.id ?? "") ?? [];
      const status = worseStatus(cluster);
      const problems = clusterProblems({ ...cluster, status }, its, isWatched);
      return { ...cluster, status, held: its.length, problems };
    })
    .toSorted((a, b) => severityOf(a) - severityOf(b) || b.held - a.held || compareNames(a.name, b.name));
}

function clusterProblems(
  { id, report, status, watcher, unobserved }: ClusterOverview,
  holds: readonly HeldRequest[],
  isWatched: boolean,
): readonly string[] {
  const state = status?.state ?? "";
  const isSick = sickStates.includes(state);
  const isLeftOut = state === "Paused" || state === "Alias";
  const isUnwatched = isWatched && watcher === undefined;
  return [
    ...(isSick ? sicknessProblems(state, status) : []),
    ...(isLeftOut ? [] : silenceProblems(id, { isSick, isUnwatched })),
    ...(lagMatters.includes(state) ? lagProblems(report) : []),
    ...(isSick ? [] : parkedProblems(holds)),
    ...(unobserved === 0 ? [] : [`${unobserved} workloads are not observed yet`]),
  ];
}

function sicknessProblems(state: string, status: ClusterStatus | undefined): readonly string[] {
  return status?.why.length ? status.why : [`it is ${state}`];
}

/** Why a cluster is silent. If a sick cluster has no id, its state already says that it has not answered. */
function silenceProblems(
  id: ClusterId | undefined,
  { isSick, isUnwatched }: { readonly isSick: boolean; readonly isUnwatched: boolean },
): readonly string[] {
  if (id === undefined) return isSick ? [] : ["it has not answered yet"];
  return isUnwatched ? ["no watcher watches it"] : [];
}

function parkedProblems(holds: readonly HeldRequest[]): readonly string[] {
  const reasons = new Set(holds.map(({ reason }) => reason).filter((reason) => reason.startsWith("Cluster")));
  return reasons.size === 0 ? [] : [`its requests are parked: ${[...reasons].sort().join(", ")}`];
}

/** States that do not already explain why the cluster is silent. */
const lagMatters: readonly string[] = ["", "Ready", "Degraded", "Syncing"];

function lagProblems(report: ClusterReport | undefined): readonly string[] {
  const { behind = [], behindCount = 0, streams } = report ?? {};
  if (behindCount === 0) return [];
  const more = behindCount === behind.length ? "" : `, and ${behindCount - behind.length} more`;
  return [`${behindCount} of ${streams} streams are behind: ${behind.join(", ")}${more}`];
}

/** The worse of the two states. The process that last listed the cluster may not watch it, and a watcher does not know the rights of a worker. */
function worseStatus({ report, status }: ClusterOverview): ClusterStatus | undefined {
  if (report?.status === undefined) return status;
  return severityOfState(report.status.state) < severityOfState(status?.state) ? report.status : status;
}

function severityOf({ problems, status }: ClusterHealth): number {
  if (problems.length === 0) return Number.MAX_SAFE_INTEGER;
  return severityOfState(status?.state);
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
