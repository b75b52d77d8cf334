/**
 * The series of each alert that counts, as a young process shows them: its first sample has risen already. The alert fires and ends
 * as in its scenario.
 */
export const firstRises: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FleetReloaderChangeMissed: {
    'fleet_reloader_audit_findings_total{cluster="nova",kind="Deployment"}': "_x10 1x1500",
  },
  FleetReloaderHintsMissed: {
    'fleet_reloader_hints_missed_total{cluster="nova"}': "_x5 1x100",
  },
  // The bounds of one histogram appear together.
  FleetReloaderRollsLate: {
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="30",pod="a"}': "_x5 0x60",
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="60",pod="a"}': "_x5 9x60",
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="+Inf",pod="a"}': "_x5 9x60",
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="30",pod="b"}': "_x15 0x60",
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="60",pod="b"}': "_x15 5x60",
    'fleet_reloader_stage_seconds_bucket{cluster="nova",stage="patched",le="+Inf",pod="b"}': "_x15 5x60",
  },
  // One worker after the other is started for a request, fails it, and is gone.
  FleetReloaderRequestsFail: {
    'fleet_reloader_reconcile_seconds_count{cluster="nova",result="retry",pod="a"}': "_x5 1x2 stale",
    'fleet_reloader_reconcile_seconds_count{cluster="nova",result="retry",pod="b"}': "_x15 1x2 stale",
  },
  FleetReloaderLooping: {
    'fleet_reloader_holds_total{cluster="nova",reason="SourceLooping"}': "_x5 1x40",
  },
  // Another worker made the roll: this one follows it, and has no other series of it.
  FleetReloaderRolloutNotHealthy: {
    'fleet_reloader_rollouts_total{cluster="nova",kind="Deployment",result="stalled",pod="b"}': "_x5 1x40",
  },
  // The worker is gone a minute later.
  FleetReloaderNotificationsLost: {
    'fleet_reloader_notifications_total{channel="alert",result="failed"}': "_x5 1x0 stale",
  },
  FleetReloaderHistoryDropped: {
    'fleet_reloader_history_total{result="dropped"}': "_x5 9x40",
  },
  FleetReloaderStateLost: {
    'fleet_reloader_state_lost_total{cluster="nova"}': "_x5 1x100",
  },
};
