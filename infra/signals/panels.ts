import type { OwnMetricName } from "../../packages/runtime/src/metrics/own-metrics.ts";
import type { MetricName, Panel } from "./signal.ts";

const ofClusters = '{cluster=~"$cluster"}';

/** Several processes report the same of a cluster: their maximum is taken. A fleet has many clusters: the first ten are shown. */
function rateBy(label: string, metric: MetricName): string {
  return `sum by (${label}) (rate(${metric}${ofClusters}[$__rate_interval]))`;
}

function increaseBy(label: string, metric: MetricName): string {
  return `sum by (${label}) (increase(${metric}${ofClusters}[$__rate_interval]))`;
}

function slowestBy(label: string, metric: MetricName): string {
  return `histogram_quantile(0.95, sum by (le, ${label}) (rate(${metric}_bucket${ofClusters}[$__rate_interval])))`;
}

/** The panel of each metric of ours: a new metric does not compile without one. */
const ownPanels: Readonly<Record<OwnMetricName, Panel>> = {
  fleet_reloader_cluster_state: {
    row: "Clusters",
    title: "Clusters by state",
    unit: "short",
    query: `count by (state) (max by (cluster, state) (fleet_reloader_cluster_state${ofClusters}))`,
    legend: "{{state}}",
  },
  fleet_reloader_stream_in_sync: {
    row: "Clusters",
    title: "Streams that are not in sync",
    unit: "short",
    query: `count(max by (cluster, resource) (fleet_reloader_stream_in_sync${ofClusters}) == 0) or vector(0)`,
    legend: "streams",
  },
  fleet_reloader_workloads_unlooked: {
    row: "Clusters",
    title: "Workloads that wait for adoption",
    unit: "short",
    query: `topk(10, max by (cluster) (fleet_reloader_workloads_unlooked${ofClusters}))`,
    legend: "{{cluster}}",
  },
  fleet_reloader_cluster_breaker_open: {
    row: "Clusters",
    title: "Clusters whose breaker is open",
    unit: "short",
    query: `sum(max by (cluster) (fleet_reloader_cluster_breaker_open${ofClusters})) or vector(0)`,
    legend: "clusters",
  },
  fleet_reloader_requests_parked_total: {
    row: "Clusters",
    title: "Parked requests by reason",
    unit: "ops",
    // A fleet in which nothing was parked yet shows a line at 0.
    query: `${rateBy("reason", "fleet_reloader_requests_parked_total")} or vector(0)`,
    legend: "{{reason}}",
  },
  fleet_reloader_registrations: {
    row: "Clusters",
    title: "Registrations by provider and state",
    unit: "short",
    query: "max by (provider, state) (fleet_reloader_registrations)",
    legend: "{{provider}} {{state}}",
  },
  fleet_reloader_sources_seen_total: {
    row: "Changes",
    title: "Sources shown by lists and watches",
    unit: "ops",
    query: rateBy("kind", "fleet_reloader_sources_seen_total"),
    legend: "{{kind}}",
  },
  fleet_reloader_requests_published_total: {
    row: "Changes",
    title: "Requests put into the queue, by cluster",
    unit: "ops",
    query: `topk(10, ${rateBy("cluster", "fleet_reloader_requests_published_total")})`,
    legend: "{{cluster}}",
  },
  fleet_reloader_stage_seconds: {
    row: "Changes",
    title: "Time from stage to stage, 95th percentile",
    unit: "s",
    query: slowestBy("stage", "fleet_reloader_stage_seconds"),
    legend: "{{stage}}",
  },
  fleet_reloader_reconcile_seconds: {
    row: "Changes",
    title: "Time spent on one workload, 95th percentile",
    unit: "s",
    query: slowestBy("result", "fleet_reloader_reconcile_seconds"),
    legend: "{{result}}",
  },
  fleet_reloader_rolls_total: {
    row: "Rolls",
    title: "Rolls by reason",
    unit: "short",
    query: increaseBy("reason", "fleet_reloader_rolls_total"),
    legend: "{{reason}}",
  },
  fleet_reloader_holds_total: {
    row: "Rolls",
    title: "Holds by reason",
    unit: "short",
    query: increaseBy("reason", "fleet_reloader_holds_total"),
    legend: "{{reason}}",
  },
  fleet_reloader_rollouts_total: {
    row: "Rolls",
    title: "Ended rollouts by result",
    unit: "short",
    query: increaseBy("result", "fleet_reloader_rollouts_total"),
    legend: "{{result}}",
  },
  fleet_reloader_rollout_seconds: {
    row: "Rolls",
    title: "Time of healthy rollouts, 95th percentile by cluster",
    unit: "s",
    query: `topk(10, ${slowestBy("cluster", "fleet_reloader_rollout_seconds")})`,
    legend: "{{cluster}}",
  },
  fleet_reloader_freezes_readable: {
    row: "Rolls",
    title: "Freezes are readable",
    unit: "bool",
    query: "min(fleet_reloader_freezes_readable)",
    legend: "readable",
  },
  fleet_reloader_redis_reachable: {
    row: "Ourselves",
    title: "Redis answers",
    unit: "bool",
    query: "min(fleet_reloader_redis_reachable)",
    legend: "reachable",
  },
  fleet_reloader_clusters_owned: {
    row: "Ourselves",
    title: "Clusters owned by each watcher",
    unit: "short",
    query: "fleet_reloader_clusters_owned",
    legend: "{{instance}}",
  },
  fleet_reloader_history_total: {
    row: "Ourselves",
    title: "History records by result",
    unit: "ops",
    query: "sum by (result) (rate(fleet_reloader_history_total[$__rate_interval]))",
    legend: "{{result}}",
  },
  fleet_reloader_notifications_total: {
    row: "Ourselves",
    title: "Notifications by channel and result",
    unit: "ops",
    query: "sum by (channel, result) (rate(fleet_reloader_notifications_total[$__rate_interval]))",
    legend: "{{channel}} {{result}}",
  },
  fleet_reloader_state_lost_total: {
    row: "Ourselves",
    title: "Times that Redis lost our state",
    unit: "short",
    query: `sum(increase(fleet_reloader_state_lost_total${ofClusters}[$__rate_interval]))`,
    legend: "losses",
  },
  fleet_reloader_audit_findings_total: {
    row: "Ourselves",
    title: "Changes that only an audit found",
    unit: "short",
    query: increaseBy("kind", "fleet_reloader_audit_findings_total"),
    legend: "{{kind}}",
  },
  // Without a listener for audit events there are none.
  fleet_reloader_audit_requests_total: {
    row: "Ourselves",
    title: "Requests with audit events",
    unit: "short",
    query: `${increaseBy("result", "fleet_reloader_audit_requests_total")} or vector(0)`,
    legend: "{{result}}",
  },
  fleet_reloader_audit_events_total: {
    row: "Ourselves",
    title: "Audit events",
    unit: "short",
    query: `${increaseBy("result", "fleet_reloader_audit_events_total")} or vector(0)`,
    legend: "{{result}}",
  },
  fleet_reloader_hints_missed_total: {
    row: "Ourselves",
    title: "Changes that no audit event told of",
    unit: "short",
    query: `${increaseBy("cluster", "fleet_reloader_hints_missed_total")} or vector(0)`,
    legend: "{{cluster}}",
  },
};

const depth: Panel = {
  row: "Ourselves",
  title: "Requests that are due and not taken",
  unit: "short",
  query: "max(reloader_workqueue_depth)",
  legend: "requests",
};

/** All panels, in the order of the dashboard within their rows. */
export const panels: readonly Panel[] = [...Object.values(ownPanels), depth];
