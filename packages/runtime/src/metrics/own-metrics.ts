/** A metric of ours. Label values are closed sets; clusters appear with their displayed names. */
interface OwnMetric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  /** Upper bounds, in seconds. */
  readonly buckets?: readonly number[];
  readonly help: string;
}

/**
 * Every metric of ours: name, labels and help. `infra/signals` adds the panel and the alerts of each metric, and does not compile when one is
 * missing.
 */
export const ownMetrics = {
  fleet_reloader_sources_seen_total: {
    type: "counter",
    labels: ["cluster", "kind"],
    help: "ConfigMaps and Secrets shown by a list or watch, by kind.",
  },
  fleet_reloader_requests_published_total: {
    type: "counter",
    labels: ["cluster"],
    help: "Requests added to the queue because a source of the workload has a new version.",
  },
  fleet_reloader_stream_in_sync: {
    type: "gauge",
    labels: ["cluster", "resource"],
    help: "1 while the list + watch of a resource is in sync. Only the process that watches the cluster has it, and only for resources that the cluster has.",
  },
  fleet_reloader_workloads_unlooked: {
    type: "gauge",
    labels: ["cluster"],
    help: "Workloads that were new or different when a watcher began with a cluster, and that no worker has observed yet. 0 when all are adopted.",
  },
  fleet_reloader_reconcile_seconds: {
    type: "histogram",
    labels: ["cluster", "result"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: "Time a worker spent on one workload, by result. conflict: somebody else wrote it meanwhile, and it is decided again; from the fifth attempt on that counts as retry.",
  },
  fleet_reloader_stage_seconds: {
    type: "histogram",
    labels: ["cluster", "stage"],
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900],
    help: "Time of a change from one stage to the next. seen: from the write (whole seconds) to the watch. taken: to a worker, with the quiet period. patched: to the write of the roll. healthy: to the end of its rollout. Requests that were held, parked or retried count only as healthy.",
  },
  fleet_reloader_rolls_total: {
    type: "counter",
    labels: ["cluster", "kind", "reason"],
    help: "Pod templates changed, by workload kind and reason.",
  },
  fleet_reloader_rollouts_total: {
    type: "counter",
    labels: ["cluster", "kind", "result"],
    help: "Ended rollouts of our rolls, by workload kind and result: healthy, failed or stalled.",
  },
  fleet_reloader_rollout_seconds: {
    type: "histogram",
    labels: ["cluster"],
    buckets: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800],
    help: "Time from the write of a roll until its rollout is healthy.",
  },
  fleet_reloader_history_total: {
    type: "counter",
    labels: ["result"],
    help: "History records, by result: written, or dropped because they could not be written in time.",
  },
  fleet_reloader_holds_total: {
    type: "counter",
    labels: ["cluster", "reason"],
    help: "Holds of due rolls, by reason. A roll that waits is counted at each check.",
  },
  fleet_reloader_freezes_readable: {
    type: "gauge",
    labels: [],
    help: "1 while all declared freezes are readable; at 0 nothing is rolled.",
  },
  fleet_reloader_redis_reachable: {
    type: "gauge",
    labels: [],
    help: "1 while Redis answers this process; at 0 it rolls nothing, and what it shows of the queue is old.",
  },
  fleet_reloader_state_lost_total: {
    type: "counter",
    labels: ["cluster"],
    help: "Times that Redis had lost our state and everything was compared again.",
  },
  fleet_reloader_clusters_owned: {
    type: "gauge",
    labels: [],
    help: "Clusters that this watcher owns, of those it shares with the others.",
  },
  fleet_reloader_cluster_breaker_open: {
    type: "gauge",
    labels: ["cluster"],
    help: "1 while requests to a cluster are parked because they fail.",
  },
  fleet_reloader_requests_parked_total: {
    type: "counter",
    labels: ["cluster", "reason"],
    help: "Requests put back into the queue before any of their work was done, by cluster and reason.",
  },
  fleet_reloader_cluster_state: {
    type: "gauge",
    labels: ["cluster", "state"],
    help: "1 for the current state of a cluster: Connecting, Syncing, Ready, Degraded, Unreachable, Forbidden, Paused.",
  },
  fleet_reloader_audit_findings_total: {
    type: "counter",
    labels: ["cluster", "kind"],
    help: "Changes that only an audit (--audit-interval) found, by workload kind. They are rolled. Any value above 0 is a defect of ours.",
  },
  fleet_reloader_audit_requests_total: {
    type: "counter",
    labels: ["cluster", "result"],
    help: "Requests with audit events, by cluster and result: accepted, unauthorized, malformed, too-large or unavailable (sent again).",
  },
  fleet_reloader_audit_events_total: {
    type: "counter",
    labels: ["cluster", "result"],
    help: "Audit events, by cluster and result: hint, or why an event is none. body: the event contains a Secret or ConfigMap, so the audit policy is above the level Metadata for it.",
  },
  fleet_reloader_hints_missed_total: {
    type: "counter",
    labels: ["cluster"],
    help: "Changes that a list found although no audit event told of them. They are published. Any value above 0 means that audit events are lost.",
  },
  fleet_reloader_notifications_total: {
    type: "counter",
    labels: ["channel", "result"],
    help: "Events, alerts and webhooks by result: sent, folded into a digest, repeated, skipped (its workload or cluster is gone, or the workload had very many Events), dropped (no room or no right) or failed.",
  },
  fleet_reloader_registrations: {
    type: "gauge",
    labels: ["provider", "state"],
    help: "Registered clusters by provider (given, directory, argocd, …) and state: usable, paused or unusable.",
  },
} as const satisfies Readonly<Record<string, OwnMetric>>;

export type OwnMetricName = keyof typeof ownMetrics;
