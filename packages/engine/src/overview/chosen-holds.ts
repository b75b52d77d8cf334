import { eachClusterOnce } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { logReasons } from "@fleet-reloader/domain/log-reasons";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import type { HeldRequest } from "../admission/held-requests.ts";
import { type ClusterId, requestKey } from "../ports/request.ts";
import { type ExplainedHold, explainHold } from "./explained-hold.ts";
import type { ClusterOverview, FleetOverview } from "./fleet-overview.ts";
import { refusedQuestion } from "./refused-question.ts";
import { chosenClusters, clusterNamer, onlyCluster } from "./registered-clusters.ts";
import { usedSources } from "./used-sources.ts";

/** Selects holds; an empty field matches any. */
export interface HoldFilter {
  /** Name or id. */
  readonly cluster: string;
  readonly namespace: string;
  readonly reason: string;
}

export interface ChosenHolds {
  /** The holds that match. */
  readonly holds: readonly HeldRequest[];
  /** The registered clusters. */
  readonly clusters: readonly ClusterOverview[];
}

/** The holds that match a filter. Faults when its cluster or its reason is not known. */
export async function chosenHolds(overview: FleetOverview, filter: HoldFilter): Promise<ChosenHolds> {
  const { cluster, namespace } = filter;
  const reason = knownReason(filter.reason);
  const clusters = await chosenClusters(overview, "");
  const chosen = cluster === "" ? clusters : onlyCluster(clusters, cluster);
  const ids = new Set(chosen.map(({ id }) => id));
  const holds = (await overview.holds()).filter(
    ({ request, reason: its }) =>
      (cluster === "" || ids.has(request.cluster)) &&
      (namespace === "" || namespace === request.workload.namespace) &&
      (reason === "" || reason === its),
  );
  return { holds, clusters };
}

function knownReason(text: string): string {
  const known = [...holdReasons, ...logReasons].map(({ reason }) => reason);
  if (text === "" || known.some((one) => one === text)) return text;
  const near = nearestName(text, known);
  const mend = near === undefined ? "docs/reference/reasons.md lists the reasons" : `did you mean ${near}?`;
  throw refusedQuestion({
    field: "reason",
    value: text,
    problem: `reason ${text}: is not known`,
    mend,
  });
}

/** Explains for each hold who or what holds it. */
export async function explainHolds(
  { holds, clusters }: ChosenHolds,
  overview: FleetOverview,
  nowMs: number,
): Promise<readonly ExplainedHold[]> {
  const freezes = await overview.freezes();
  const nameOf = clusterNamer(clusters);
  const byId = new Map(eachClusterOnce(clusters).map((cluster) => [cluster.id, cluster]));
  const frozen = new Set(holds.flatMap((hold) => (hold.reason === "Frozen" ? [hold.request.cluster] : [])));
  const sources = await sourcesByWorkload(
    overview,
    freezes.some(({ scope }) => scope.source) ? frozen : new Set(),
  );
  return await Promise.all(
    holds.map(async (hold) => {
      return explainHold(hold, {
        cluster: byId.get(hold.request.cluster),
        freezes,
        sources: sources.get(requestKey(hold.request)) ?? [],
        unfinished: hold.reason === "BudgetUnfinished" ? await overview.unfinished(hold.request) : [],
        nameOf,
        nowMs,
      });
    }),
  );
}

/** Read only if a freeze is about a source. */
async function sourcesByWorkload(overview: FleetOverview, clusters: ReadonlySet<ClusterId>) {
  const pairs = await Promise.all(
    [...clusters].map(async (cluster) =>
      (await overview.managed(cluster)).map(
        (one) => [requestKey({ cluster, workload: one.ref }), usedSources(one)] as const,
      ),
    ),
  );
  return new Map(pairs.flat());
}
