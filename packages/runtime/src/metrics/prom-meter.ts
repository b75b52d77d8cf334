import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { StreamState } from "@fleet-reloader/engine/ports/source-stream";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { createPeerMetrics, type PeerMetrics, peerMetricDescriptions } from "./peer-metrics.ts";

const toSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** From one quick pod to a large StatefulSet that rolls pod by pod. */
const rolloutBuckets = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];

const ownDescriptions = {
  fleet_reloader_sources_seen_total: "ConfigMaps and Secrets shown by a list or watch, by kind.",
  fleet_reloader_requests_published_total:
    "Requests added to the queue because a source of the workload has a new version.",
  fleet_reloader_stream_in_sync: "1 while the list + watch of a resource is in sync.",
  fleet_reloader_workloads_unlooked:
    "Workloads that were new or different when a watcher began with a cluster, and that no worker has observed yet. 0 when all are adopted.",
  fleet_reloader_reconcile_seconds: "Time a worker spent on one workload, by result.",
  fleet_reloader_rolls_total: "Pod templates changed, by workload kind and reason.",
  fleet_reloader_rollouts_total:
    "Ended rollouts of our rolls, by workload kind and result: healthy, failed or stalled.",
  fleet_reloader_rollout_seconds: "Time from the write of a roll until its rollout is healthy.",
  fleet_reloader_history_total:
    "History records, by result: written, or dropped because they could not be written in time.",
  fleet_reloader_holds_total: "Holds of due rolls, by reason. A roll that waits is counted at each check.",
  fleet_reloader_freezes_readable: "1 while all declared freezes are readable; at 0 nothing is rolled.",
  fleet_reloader_state_lost_total: "Times that Redis had lost our state and everything was compared again.",
  fleet_reloader_clusters_owned: "Clusters that this watcher owns, of those it shares with the others.",
  fleet_reloader_cluster_breaker_open: "1 while requests to a cluster are parked because they fail.",
  fleet_reloader_requests_parked_total:
    "Requests put back into the queue before any of their work was done, by cluster and reason.",
  fleet_reloader_cluster_state:
    "1 for the current state of a cluster: Connecting, Syncing, Ready, Degraded, Unreachable, Forbidden, Paused.",
  fleet_reloader_audit_findings_total:
    "Changes that only an audit (--audit-interval) found, by workload kind. They are rolled. Any value above 0 is a defect of ours.",
  fleet_reloader_audit_requests_total:
    "Requests with audit events, by cluster and result: accepted, unauthorized, malformed, too-large or unavailable (sent again).",
  fleet_reloader_audit_events_total:
    "Audit events, by cluster and result: hint, or why an event is none. body: the event contains an object, so the audit policy is above the level Metadata.",
  fleet_reloader_hints_missed_total:
    "Changes that a list found although no audit event told of them. They are published. Any value above 0 means that audit events are lost.",
  fleet_reloader_notifications_total:
    "Events, alerts and webhooks by result: sent, folded into a digest, repeated, dropped or failed.",
  fleet_reloader_registrations:
    "Registered clusters by provider (given, directory, argocd, …) and state: usable, paused or unusable.",
} as const;

/** Every metric and what it means: the page `docs/reference/metrics.md` is made from this. */
export const metricDescriptions = { ...ownDescriptions, ...peerMetricDescriptions } as const;

/** The meter as Prometheus metrics. Labels are closed sets. */
export function createPromMeter(options: {
  readonly withProcess: boolean;
  /** A label with the names of namespaces: only for those who ask for it. */
  readonly countByNamespace?: boolean;
}): {
  readonly meter: Meter;
  /** For what the engine knows nothing of: HTTP requests, and the inside of the queue. */
  readonly adapters: Pick<PeerMetrics, "requested" | "requestTaken" | "watchQueue">;
  metrics(): Promise<string>;
} {
  const registry = new Registry();
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  const own = createOwnMetrics(registry);
  const states = new ClusterStates(own.clusterState);
  const peer = createPeerMetrics(registry, { countByNamespace: options.countByNamespace ?? false });
  const metrics = async () => {
    await removeGone(registry, states.gone);
    return await registry.metrics();
  };
  return { meter: createMeter(own, states, peer), adapters: peer, metrics };
}

function createOwnMetrics(registry: Registry) {
  const described = <N extends keyof typeof ownDescriptions, L extends string>(
    name: N,
    labelNames: readonly L[],
  ) => ({
    name,
    help: ownDescriptions[name],
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    seen: new Counter(described("fleet_reloader_sources_seen_total", ["cluster", "kind"])),
    published: new Counter(described("fleet_reloader_requests_published_total", ["cluster"])),
    inSync: new Gauge(described("fleet_reloader_stream_in_sync", ["cluster", "resource"])),
    unreconciled: new Gauge(described("fleet_reloader_workloads_unlooked", ["cluster"])),
    reconcile: new Histogram({
      ...described("fleet_reloader_reconcile_seconds", ["cluster", "result"]),
      buckets: toSeconds,
    }),
    rolls: new Counter(described("fleet_reloader_rolls_total", ["cluster", "kind", "reason"])),
    rollouts: new Counter(described("fleet_reloader_rollouts_total", ["cluster", "kind", "result"])),
    rolloutSeconds: new Histogram({
      ...described("fleet_reloader_rollout_seconds", ["cluster"]),
      buckets: rolloutBuckets,
    }),
    history: new Counter(described("fleet_reloader_history_total", ["result"])),
    held: new Counter(described("fleet_reloader_holds_total", ["cluster", "reason"])),
    readable: new Gauge(described("fleet_reloader_freezes_readable", [])),
    lost: new Counter(described("fleet_reloader_state_lost_total", ["cluster"])),
    owned: new Gauge(described("fleet_reloader_clusters_owned", [])),
    parked: new Counter(described("fleet_reloader_requests_parked_total", ["cluster", "reason"])),
    breaker: new Gauge(described("fleet_reloader_cluster_breaker_open", ["cluster"])),
    clusterState: new Gauge(described("fleet_reloader_cluster_state", ["cluster", "state"])),
    findings: new Counter(described("fleet_reloader_audit_findings_total", ["cluster", "kind"])),
    auditRequests: new Counter(described("fleet_reloader_audit_requests_total", ["cluster", "result"])),
    auditEvents: new Counter(described("fleet_reloader_audit_events_total", ["cluster", "result"])),
    hintsMissed: new Counter(described("fleet_reloader_hints_missed_total", ["cluster"])),
    notified: new Counter(described("fleet_reloader_notifications_total", ["channel", "result"])),
    registered: new Gauge(described("fleet_reloader_registrations", ["provider", "state"])),
  };
}

/** The state that each cluster is in, as one series per cluster. */
class ClusterStates {
  readonly #gauge: Gauge<"cluster" | "state">;
  readonly #states = new Map<string, string>();
  /** Clusters that are no longer registered and may still have series. */
  readonly gone = new Set<string>();

  constructor(gauge: Gauge<"cluster" | "state">) {
    this.#gauge = gauge;
  }

  set(cluster: string, state: string | undefined): void {
    const before = this.#states.get(cluster);
    if (before !== undefined) this.#gauge.remove({ cluster, state: before });
    this.#states.delete(cluster);
    if (state === undefined) return void this.gone.add(cluster);
    this.gone.delete(cluster);
    this.#states.set(cluster, state);
    this.#gauge.set({ cluster, state }, 1);
  }
}

function createMeter(
  own: ReturnType<typeof createOwnMetrics>,
  states: ClusterStates,
  peer: PeerMetrics,
): Meter {
  return {
    sourcesSeen: (cluster, kind, count, how) => {
      own.seen.inc({ cluster, kind }, count);
      peer.sourcesSeen(kind, count, how);
    },
    sourcesCompared: (_cluster, kind, count) => peer.sourcesCompared(kind, count),
    requestsPublished: (cluster, count) => {
      own.published.inc({ cluster }, count);
      peer.requestsPublished(count);
    },
    streamState(cluster, resource, state: StreamState) {
      // A resource that the cluster does not have is neither in sync nor behind.
      if (state === "absent") own.inSync.remove({ cluster, resource });
      else own.inSync.set({ cluster, resource }, state === "watching" ? 1 : 0);
    },
    workloadsUnreconciled(cluster, count) {
      if (count === undefined) own.unreconciled.remove({ cluster });
      else own.unreconciled.set({ cluster }, count);
    },
    reconciled: (cluster, result, spent, workload) => {
      own.reconcile.observe({ cluster, result }, spent);
      // There at 0 before the first one: an alert has to see it rise.
      own.findings.inc({ cluster, kind: workload.kind }, 0);
      peer.reconciled(result, spent, workload);
    },
    rolled: (cluster, kind, reason) => own.rolls.inc({ cluster, kind, reason }),
    rolloutEnded(cluster, kind, result, spent) {
      own.rollouts.inc({ cluster, kind, result });
      if (result === "healthy") own.rolloutSeconds.observe({ cluster }, spent);
    },
    historyKept: (result, count) => own.history.inc({ result }, count),
    held: (cluster, reason) => own.held.inc({ cluster, reason }),
    freezesReadable: (isReadable) => own.readable.set(isReadable ? 1 : 0),
    stateLost: (cluster) => own.lost.inc({ cluster }),
    clustersOwned: (count) => own.owned.set(count),
    parked: (cluster, reason) => own.parked.inc({ cluster, reason }),
    breaker: (cluster, isOpen) => own.breaker.set({ cluster }, isOpen ? 1 : 0),
    auditFound: (cluster, kind) => own.findings.inc({ cluster, kind }),
    auditRequest: (cluster, result) => own.auditRequests.inc({ cluster, result }),
    auditEvents: (cluster, result, count) => own.auditEvents.inc({ cluster, result }, count),
    hintsMissed: (cluster, count) => own.hintsMissed.inc({ cluster }, count),
    clusterState: (cluster, state) => states.set(cluster, state),
    notified: (channel, result, count) => own.notified.inc({ channel, result }, count),
    registrations: (provider, state, count) => own.registered.set({ provider, state }, count),
  };
}

/**
 * Removes the series of clusters that are no longer registered: they would show their last value for ever. Work under way may be
 * counted a moment later, so each cluster is checked until no series of it is found.
 */
async function removeGone(registry: Registry, gone: Set<string>): Promise<void> {
  const absent = new Set(gone);
  for (const name of gone.size === 0 ? [] : Object.keys(ownDescriptions)) {
    const metric = registry.getSingleMetric(name);
    for (const { labels } of (await metric?.get())?.values ?? []) {
      const cluster = String(labels.cluster);
      if (!gone.has(cluster)) continue;
      absent.delete(cluster);
      // The bounds of a histogram are no label that it was made with.
      metric?.remove(Object.fromEntries(Object.entries(labels).filter(([label]) => label !== "le")));
    }
  }
  for (const cluster of absent) gone.delete(cluster);
}
