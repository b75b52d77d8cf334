import type { Alert } from "./signal.ts";

/** What says already that nothing of this cluster can be up to date. */
const away = `unless on (cluster) (max by (cluster) (fleet_reloader_cluster_state{state=~"Unreachable|Forbidden"}) == 1)`;

/** Every alert. A counter that an alert watches is exported at 0 before it rises, or its first rise would be missed. */
export const alerts: readonly Alert[] = [
  {
    name: "FleetReloaderAbsent",
    metric: "fleet_reloader_freezes_readable",
    severity: "critical",
    forMinutes: 10,
    expression: "absent(fleet_reloader_freezes_readable)",
    summary: "No process of fleet-reloader is scraped.",
  },
  {
    name: "FleetReloaderFreezesUnreadable",
    metric: "fleet_reloader_freezes_readable",
    severity: "critical",
    forMinutes: 5,
    expression: "min(fleet_reloader_freezes_readable) == 0",
    summary: "The declared freezes cannot be read, so nothing is rolled.",
  },
  {
    name: "FleetReloaderChangeMissed",
    metric: "fleet_reloader_audit_findings_total",
    severity: "critical",
    forMinutes: 0,
    expression: "sum by (cluster, kind) (increase(fleet_reloader_audit_findings_total[$window])) > 0",
    windowMinutes: 24 * 60,
    summary: "An audit found a missed change of a {{ $labels.kind }} in cluster {{ $labels.cluster }}.",
  },
  {
    name: "FleetReloaderHintsMissed",
    metric: "fleet_reloader_hints_missed_total",
    severity: "warning",
    forMinutes: 0,
    expression: "sum by (cluster) (increase(fleet_reloader_hints_missed_total[$window])) > 0",
    windowMinutes: 60,
    summary:
      "Audit events of cluster {{ $labels.cluster }} are lost: a list found changes that none told of.",
  },
  {
    name: "FleetReloaderClusterAway",
    metric: "fleet_reloader_cluster_state",
    severity: "warning",
    forMinutes: 10,
    expression: 'max by (cluster, state) (fleet_reloader_cluster_state{state=~"Unreachable|Forbidden"}) == 1',
    summary: "Cluster {{ $labels.cluster }} is {{ $labels.state }}.",
  },
  {
    name: "FleetReloaderClusterFailing",
    metric: "fleet_reloader_cluster_breaker_open",
    severity: "warning",
    forMinutes: 10,
    expression: "max by (cluster) (fleet_reloader_cluster_breaker_open) == 1",
    summary: "Requests to cluster {{ $labels.cluster }} fail, and its breaker is open.",
  },
  {
    name: "FleetReloaderStreamBehind",
    metric: "fleet_reloader_stream_in_sync",
    severity: "warning",
    forMinutes: 15,
    expression: `max by (cluster, resource) (fleet_reloader_stream_in_sync) == 0 ${away}`,
    summary: "The watch of {{ $labels.resource }} in cluster {{ $labels.cluster }} is not in sync.",
  },
  {
    name: "FleetReloaderRegistrationUnusable",
    metric: "fleet_reloader_registrations",
    severity: "warning",
    forMinutes: 10,
    expression: 'max by (provider) (fleet_reloader_registrations{state="unusable"}) > 0',
    summary: "{{ $value }} registrations of provider {{ $labels.provider }} cannot be used.",
  },
  {
    name: "FleetReloaderAdoptionStuck",
    metric: "fleet_reloader_workloads_unlooked",
    severity: "warning",
    forMinutes: 30,
    expression: `max by (cluster) (fleet_reloader_workloads_unlooked) > 0 ${away}`,
    summary: "{{ $value }} workloads of cluster {{ $labels.cluster }} wait for their first observation.",
  },
  {
    name: "FleetReloaderQueueNotDrained",
    metric: "reloader_workqueue_depth",
    severity: "warning",
    forMinutes: 15,
    expression: "max(reloader_workqueue_depth) > 0",
    summary: "{{ $value }} requests are due, and the queue has not been empty for 15 minutes.",
  },
  {
    name: "FleetReloaderRollsLate",
    metric: "fleet_reloader_stage_seconds",
    severity: "warning",
    forMinutes: 15,
    expression:
      'histogram_quantile(0.95, sum by (le) (rate(fleet_reloader_stage_seconds_bucket{stage="patched"}[$window]))) > 30',
    windowMinutes: 15,
    summary: "Workers take {{ $value | humanizeDuration }} from a request to its roll (95th percentile).",
  },
  {
    name: "FleetReloaderRequestsFail",
    metric: "fleet_reloader_reconcile_seconds",
    severity: "warning",
    forMinutes: 15,
    expression:
      'sum by (cluster) (increase(fleet_reloader_reconcile_seconds_count{result=~"retry|dropped"}[$window])) > 0',
    windowMinutes: 15,
    summary: "Requests for workloads of cluster {{ $labels.cluster }} fail again and again.",
  },
  {
    name: "FleetReloaderLooping",
    metric: "fleet_reloader_holds_total",
    severity: "warning",
    forMinutes: 0,
    expression:
      'sum by (cluster, reason) (increase(fleet_reloader_holds_total{reason=~".*Looping"}[$window])) > 0',
    windowMinutes: 15,
    summary: "A breaker holds rolls in cluster {{ $labels.cluster }}: {{ $labels.reason }}.",
  },
  {
    name: "FleetReloaderRolloutNotHealthy",
    metric: "fleet_reloader_rollouts_total",
    severity: "warning",
    forMinutes: 0,
    expression:
      'sum by (cluster, result) (increase(fleet_reloader_rollouts_total{result=~"failed|stalled"}[$window])) > 0',
    windowMinutes: 15,
    summary: "Rollouts after our rolls are {{ $labels.result }} in cluster {{ $labels.cluster }}.",
  },
  {
    name: "FleetReloaderNotificationsLost",
    metric: "fleet_reloader_notifications_total",
    severity: "warning",
    forMinutes: 0,
    expression:
      'sum by (channel) (increase(fleet_reloader_notifications_total{result=~"dropped|failed"}[$window])) > 0',
    windowMinutes: 15,
    summary: "Notifications of channel {{ $labels.channel }} are lost.",
  },
  {
    name: "FleetReloaderHistoryDropped",
    metric: "fleet_reloader_history_total",
    severity: "warning",
    forMinutes: 0,
    expression: 'sum(increase(fleet_reloader_history_total{result="dropped"}[$window])) > 0',
    windowMinutes: 15,
    summary: "Records of the history are lost, since Redis does not take them in time.",
  },
  {
    name: "FleetReloaderStateLost",
    metric: "fleet_reloader_state_lost_total",
    severity: "info",
    forMinutes: 0,
    expression: "sum by (cluster) (increase(fleet_reloader_state_lost_total[$window])) > 0",
    windowMinutes: 60,
    summary: "Redis lost the state of cluster {{ $labels.cluster }}; everything was compared again.",
  },
];
