import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { remarksOnCluster } from "@fleet-reloader/domain/cluster/cluster-status";
import { actButtons, type Permits } from "../acts/act-offer.ts";
import { freezeClusterOffer } from "../acts/offered-acts.ts";
import { ago } from "../age.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, table, type ViewNode } from "../view-node.ts";
import { filterForm } from "./filter-form.ts";
import { type OfferingPage, pageEnd } from "./page-end.ts";

export type ShownCluster = ApiAnswer<"clusters">["clusters"][number];

export const clusterHeadings = [
  "Cluster",
  "State",
  "Problem",
  "Workloads",
  "Rolling",
  "Held",
  "Lag",
  "Rights",
] as const;

/** The clusters, those with problems first. */
export function clustersView(
  answer: ApiAnswer<"clusters">,
  page: OfferingPage,
  nowMs: number,
): readonly ViewNode[] {
  return [
    el("h1", {}, "Clusters"),
    filterForm("/clusters", page.query, [["cluster", "Cluster"]]),
    table({
      label: "Clusters",
      headings: clusterHeadings,
      rows: answer.clusters.map((cluster) => clusterRow(cluster, page.permits, nowMs)),
      count: answer.count,
      none: "No cluster is registered, or none is shown to you. docs/clusters.md says how to register one.",
    }),
    pageEnd(answer, answer.clusters.length, "cluster", page),
  ];
}

/** The cells of a cluster. */
export function clusterRow(cluster: ShownCluster, permits: Permits, nowMs: number): readonly ViewNode[] {
  const { held, name, report, rollouts, status, workloads } = cluster;
  // An alias is another name of a cluster. The cluster's own row offers the freeze.
  const offers = status?.state === "Alias" ? [] : [freezeClusterOffer(name)];
  const freeze = actButtons(permits, { cluster: name, namespace: "" }, offers);
  const changes = link(`/changes?cluster=${encodeURIComponent(name)}`, name);
  return [
    freeze.length === 0 ? changes : el("span", {}, changes, " ", ...freeze),
    stateMark(status?.state ?? "Discovered"),
    remarksOnCluster(cluster).join("; ") || "none",
    String(workloads),
    String(rollouts),
    held === 0 ? "0" : link(`/held?cluster=${encodeURIComponent(name)}`, String(held)),
    lagOf(report, nowMs),
    rightsOf(report),
  ];
}

/** The streams that are late, and since when. */
function lagOf(report: ShownCluster["report"], nowMs: number): ViewNode {
  if (report === undefined) return "not reported";
  const { behindCount, behindSinceMs, streams } = report;
  if (behindSinceMs === undefined) return "none";
  const since = ago(new Date(behindSinceMs).toISOString(), nowMs);
  return el("span", {}, `${behindCount} of ${streams} streams, since `, since);
}

/** The number of rights that its watcher lacks. The first few are the title. */
function rightsOf(report: ShownCluster["report"]): ViewNode {
  if (report === undefined) return "not reported";
  const { missingRightCount, missingRights } = report;
  if (missingRightCount === 0) return "all";
  return el("span", { title: missingRights.join("\n") }, `${missingRightCount} missing`);
}
