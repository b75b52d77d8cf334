/** What makes one alert fire and end. Times are minutes since the first sample; a sample is taken each minute. */
export interface AlertScenario {
  /** Series with their values, as promtool writes them: `0x20` stays for 20 more minutes, `0+1x5` rises five times. */
  readonly series: Readonly<Record<string, string>>;
  /** Nothing fires yet at this minute. */
  readonly quietAt: number;
  readonly firesAt: number;
  /** It has ended by then. */
  readonly endedAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** A scenario for each alert, by its name. */
export const alertScenarios: Readonly<Record<string, AlertScenario>> = {
  FleetReloaderAbsent: {
    series: { fleet_reloader_freezes_readable: "1x5 stale _x20 1x10" },
    quietAt: 10,
    firesAt: 20,
    endedAt: 30,
    labels: { severity: "critical" },
    summary: "No process of fleet-reloader is scraped.",
  },
  FleetReloaderFreezesUnreadable: {
    series: {
      'fleet_reloader_freezes_readable{instance="a"}': "1x30",
      'fleet_reloader_freezes_readable{instance="b"}': "1x4 0x10 1x10",
    },
    quietAt: 8,
    firesAt: 11,
    endedAt: 17,
    labels: { severity: "critical" },
    summary: "The declared freezes cannot be read, so nothing is rolled.",
  },
  FleetReloaderRedisAway: {
    series: {
      'fleet_reloader_redis_reachable{pod="watcher"}': "1x30",
      'fleet_reloader_redis_reachable{pod="worker"}': "1x4 0x10 1x10",
    },
    quietAt: 8,
    firesAt: 11,
    endedAt: 17,
    labels: { severity: "critical" },
    summary: "Redis does not answer a process of fleet-reloader, so it rolls nothing.",
  },
  FleetReloaderChangeMissed: {
    series: { 'fleet_reloader_audit_findings_total{cluster="nova",kind="Deployment"}': "0x9 1x1500" },
    quietAt: 9,
    firesAt: 11,
    endedAt: 1460,
    labels: { severity: "critical", cluster: "nova", kind: "Deployment" },
    summary: "An audit found a missed change of a Deployment in cluster nova.",
  },
  FleetReloaderHintsMissed: {
    series: {
      'fleet_reloader_hints_missed_total{cluster="nova"}': "0x4 3x100",
      'fleet_reloader_hints_missed_total{cluster="otech"}': "0x100",
    },
    quietAt: 4,
    firesAt: 6,
    endedAt: 66,
    labels: { severity: "warning", cluster: "nova" },
    summary: "Audit events of cluster nova are lost: a list found changes that none told of.",
  },
  FleetReloaderClusterAway: {
    series: {
      'fleet_reloader_cluster_state{cluster="nova",state="Ready",instance="a"}': "1x4 stale _x19 1x10",
      'fleet_reloader_cluster_state{cluster="nova",state="Unreachable",instance="a"}': "_x5 1x19 stale",
      'fleet_reloader_cluster_state{cluster="otech",state="Ready",instance="a"}': "1x40",
    },
    quietAt: 14,
    firesAt: 16,
    endedAt: 26,
    labels: { severity: "warning", cluster: "nova", state: "Unreachable" },
    summary: "Cluster nova is Unreachable.",
  },
  FleetReloaderClusterFailing: {
    series: { 'fleet_reloader_cluster_breaker_open{cluster="nova"}': "0x4 1x14 0x10" },
    quietAt: 14,
    firesAt: 16,
    endedAt: 21,
    labels: { severity: "warning", cluster: "nova" },
    summary: "Requests to cluster nova fail, and its breaker is open.",
  },
  FleetReloaderStreamBehind: {
    series: {
      'fleet_reloader_cluster_state{cluster="nova",state="Degraded"}': "1x60",
      'fleet_reloader_stream_in_sync{cluster="nova",resource="secrets"}': "1x4 0x19 1x20",
      // It is away: the alert that says so is enough.
      'fleet_reloader_cluster_state{cluster="gone",state="Unreachable"}': "1x60",
      'fleet_reloader_stream_in_sync{cluster="gone",resource="secrets"}': "0x60",
    },
    quietAt: 19,
    firesAt: 21,
    endedAt: 25,
    labels: { severity: "warning", cluster: "nova", resource: "secrets" },
    summary: "The watch of secrets in cluster nova is not in sync.",
  },
  FleetReloaderRegistrationUnusable: {
    series: {
      'fleet_reloader_registrations{provider="argocd",state="usable"}': "5x40",
      'fleet_reloader_registrations{provider="argocd",state="unusable"}': "0x4 2x14 0x20",
    },
    quietAt: 14,
    firesAt: 16,
    endedAt: 21,
    labels: { severity: "warning", provider: "argocd" },
    summary: "2 registrations of provider argocd cannot be used.",
  },
  FleetReloaderAdoptionStuck: {
    series: { 'fleet_reloader_workloads_unlooked{cluster="nova"}': "7x35 0x10" },
    quietAt: 29,
    firesAt: 31,
    endedAt: 37,
    labels: { severity: "warning", cluster: "nova" },
    summary: "7 workloads of cluster nova wait for their first observation.",
  },
  FleetReloaderQueueNotDrained: {
    series: { reloader_workqueue_depth: "0x4 3x20 0x10" },
    quietAt: 19,
    firesAt: 21,
    endedAt: 27,
    labels: { severity: "warning" },
    summary: "3 requests are due, and the queue has not been empty for 15 minutes.",
  },
  FleetReloaderRollsLate: {
    series: {
      'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="30"}': "0x60",
      'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="60"}': "0x4 0+10x20 200x40",
      'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="+Inf"}': "0x4 0+10x20 200x40",
      // Waiting for quiet is no delay.
      'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="taken",le="+Inf"}': "0+10x60",
    },
    quietAt: 15,
    firesAt: 24,
    endedAt: 45,
    labels: { severity: "warning" },
    summary: "Workers take 58.5s from a request to its roll (95th percentile).",
  },
  FleetReloaderRequestsFail: {
    series: {
      'fleet_reloader_reconcile_seconds_count{cluster="nova",result="retry"}': "0x4 0+1x20 20x40",
      'fleet_reloader_reconcile_seconds_count{cluster="nova",result="rolled"}': "0+1x60",
      'fleet_reloader_reconcile_seconds_count{cluster="otech",result="conflict"}': "0+1x60",
    },
    quietAt: 15,
    firesAt: 24,
    endedAt: 45,
    labels: { severity: "warning", cluster: "nova" },
    summary: "Requests for workloads of cluster nova fail again and again.",
  },
  FleetReloaderLooping: {
    series: {
      'fleet_reloader_holds_total{cluster="nova",reason="SourceLooping"}': "0x4 1x40",
      'fleet_reloader_holds_total{cluster="nova",reason="BudgetRate"}': "0+1x40",
    },
    quietAt: 4,
    firesAt: 6,
    endedAt: 21,
    labels: { severity: "warning", cluster: "nova", reason: "SourceLooping" },
    summary: "A breaker holds rolls in cluster nova: SourceLooping.",
  },
  FleetReloaderRolloutNotHealthy: {
    series: {
      'fleet_reloader_rollouts_total{cluster="nova",kind="Deployment",result="stalled"}': "0x4 1x40",
      'fleet_reloader_rollouts_total{cluster="nova",kind="Deployment",result="healthy"}': "0+1x40",
    },
    quietAt: 4,
    firesAt: 6,
    endedAt: 21,
    labels: { severity: "warning", cluster: "nova", result: "stalled" },
    summary: "Rollouts after our rolls are stalled in cluster nova.",
  },
  FleetReloaderNotificationsLost: {
    series: {
      'fleet_reloader_notifications_total{channel="alert",result="failed"}': "0x4 2x40",
      'fleet_reloader_notifications_total{channel="event",result="skipped"}': "0+1x40",
    },
    quietAt: 4,
    firesAt: 6,
    endedAt: 21,
    labels: { severity: "warning", channel: "alert" },
    summary: "Notifications of channel alert are lost.",
  },
  FleetReloaderHistoryDropped: {
    series: {
      'fleet_reloader_history_total{result="dropped"}': "0x4 9x40",
      'fleet_reloader_history_total{result="written"}': "0+1x40",
    },
    quietAt: 4,
    firesAt: 6,
    endedAt: 21,
    labels: { severity: "warning" },
    summary: "Records of the history are lost, since Redis does not take them in time.",
  },
  FleetReloaderStateLost: {
    series: { 'fleet_reloader_state_lost_total{cluster="nova"}': "0x4 1x100" },
    quietAt: 4,
    firesAt: 6,
    endedAt: 66,
    labels: { severity: "info", cluster: "nova" },
    summary: "Redis lost the state of cluster nova; everything was compared again.",
  },
};
