import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { Meter, NotificationResult, RolloutResult } from "@fleet-reloader/engine/ports/meter";
import type { StreamState } from "@fleet-reloader/engine/ports/source-stream";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type OwnMetricName, ownMetrics } from "./own-metrics.ts";
import { createPeerMetrics, type PeerMetrics } from "./peer-metrics.ts";

export interface PromMeterOptions {
  readonly withProcess: boolean;
  /** A label with the names of namespaces. It costs a series for each namespace. */
  readonly countByNamespace?: boolean;
}

interface Adapters extends Pick<PeerMetrics, "requested" | "requestTaken" | "watchQueue"> {
  /** Registers an act to run before each read of the metrics. */
  beforeScrape(act: () => void): void;
  /** Sets how to check Redis when the metrics are read. */
  watchRedis(isReachable: () => boolean): void;
}

export interface PromMeter {
  readonly meter: Meter;
  /** For events that the engine does not see: HTTP requests, and those inside the queue. */
  readonly adapters: Adapters;
  metrics(): Promise<string>;
}

/** The meter as Prometheus metrics. Label values are closed sets. */
export function createPromMeter(options: PromMeterOptions): PromMeter {
  const registry = new Registry();
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  const own = createOwnMetrics(registry);
  for (const result of historyResults) own.history.inc({ result }, 0);
  const states = new ClusterStates(own.clusterState);
  const peer = createPeerMetrics(registry, { countByNamespace: options.countByNamespace ?? false });
  const scraped: (() => void)[] = [];
  const metrics = async () => {
    for (const act of scraped) act();
    await removeGone(registry, states.gone);
    return await registry.metrics();
  };
  const { requested, requestTaken, watchQueue } = peer;
  const beforeScrape = (act: () => void) => void scraped.push(act);
  const watchRedis = (isReachable: () => boolean) => beforeScrape(() => own.redis.set(isReachable() ? 1 : 0));
  const adapters = { requested, requestTaken, watchQueue, beforeScrape, watchRedis };
  return { meter: createMeter(own, states, peer), adapters, metrics };
}

function createOwnMetrics(registry: Registry) {
  const counter = counterOf(registry);
  const gauge = gaugeOf(registry);
  const histogram = histogramOf(registry);
  return {
    seen: counter("fleet_reloader_sources_seen_total"),
    published: counter("fleet_reloader_requests_published_total"),
    inSync: gauge("fleet_reloader_stream_in_sync"),
    unreconciled: gauge("fleet_reloader_workloads_unlooked"),
    reconcile: histogram("fleet_reloader_reconcile_seconds"),
    stages: histogram("fleet_reloader_stage_seconds"),
    rolls: counter("fleet_reloader_rolls_total"),
    rollouts: counter("fleet_reloader_rollouts_total"),
    rolloutSeconds: histogram("fleet_reloader_rollout_seconds"),
    history: counter("fleet_reloader_history_total"),
    held: counter("fleet_reloader_holds_total"),
    readable: gauge("fleet_reloader_freezes_readable"),
    redis: gauge("fleet_reloader_redis_reachable"),
    lost: counter("fleet_reloader_state_lost_total"),
    owned: gauge("fleet_reloader_clusters_owned"),
    parked: counter("fleet_reloader_requests_parked_total"),
    breaker: gauge("fleet_reloader_cluster_breaker_open"),
    clusterState: gauge("fleet_reloader_cluster_state"),
    findings: counter("fleet_reloader_audit_findings_total"),
    auditRequests: counter("fleet_reloader_audit_requests_total"),
    auditEvents: counter("fleet_reloader_audit_events_total"),
    hintsMissed: counter("fleet_reloader_hints_missed_total"),
    notified: counter("fleet_reloader_notifications_total"),
    registered: gauge("fleet_reloader_registrations"),
  };
}

type NameOfType<T> = {
  [N in OwnMetricName]: (typeof ownMetrics)[N]["type"] extends T ? N : never;
}[OwnMetricName];
type LabelOf<N extends OwnMetricName> = (typeof ownMetrics)[N]["labels"][number];

function counterOf(registry: Registry) {
  return <N extends NameOfType<"counter">>(name: N): Counter<LabelOf<N>> =>
    new Counter(described<N>(name, registry));
}

function gaugeOf(registry: Registry) {
  return <N extends NameOfType<"gauge">>(name: N): Gauge<LabelOf<N>> =>
    new Gauge(described<N>(name, registry));
}

function histogramOf(registry: Registry) {
  return <N extends NameOfType<"histogram">>(name: N): Histogram<LabelOf<N>> =>
    new Histogram({ ...described<N>(name, registry), buckets: [...ownMetrics[name].buckets] });
}

function described<N extends OwnMetricName>(name: N, registry: Registry) {
  const { help, labels } = ownMetrics[name];
  const labelNames: readonly LabelOf<N>[] = labels;
  return { name, help, labelNames: [...labelNames], registers: [registry] };
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

// Alerts watch for increases. A series starts at 0 when its labels are known, so that a graph also shows the first one.
const rolloutResults: readonly RolloutResult[] = ["healthy", "failed", "stalled"];
const loopReasons: readonly HoldReason[] = ["SourceLooping", "WorkloadLooping"];
const lostResults: readonly NotificationResult[] = ["dropped", "failed"];
const historyResults = ["written", "dropped"] as const;

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
      // Neither in sync nor behind. After the end of a stream another process may watch the cluster and report it.
      if (state === "absent" || state === "stopped") own.inSync.remove({ cluster, resource });
      else own.inSync.set({ cluster, resource }, state === "watching" ? 1 : 0);
    },
    workloadsUnreconciled(cluster, count) {
      if (count === undefined) own.unreconciled.remove({ cluster });
      else own.unreconciled.set({ cluster }, count);
    },
    reconciled: (cluster, result, spent, workload) => {
      own.reconcile.observe({ cluster, result }, spent);
      // Starts at 0, so that a graph shows the first increase.
      own.findings.inc({ cluster, kind: workload.kind }, 0);
      for (const reason of loopReasons) own.held.inc({ cluster, reason }, 0);
      peer.reconciled(result === "conflict" ? "retry" : result, spent, workload);
    },
    stageReached: (cluster, stage, spent) => own.stages.observe({ cluster, stage }, spent),
    ...createRollMeter(own, peer),
    historyKept: (result, count) => own.history.inc({ result }, count),
    held: (cluster, reason) => own.held.inc({ cluster, reason }),
    freezesReadable: (isReadable) => own.readable.set(isReadable ? 1 : 0),
    stateLost: (cluster) => own.lost.inc({ cluster }),
    clustersOwned: (count) => own.owned.set(count),
    parked: (cluster, reason) => own.parked.inc({ cluster, reason }),
    breaker: (cluster, isOpen) => own.breaker.set({ cluster }, isOpen ? 1 : 0),
    auditFound: (cluster, kind) => own.findings.inc({ cluster, kind }),
    ...createHintMeter(own),
    clusterState: (cluster, state) => {
      if (state !== undefined) own.lost.inc({ cluster }, 0);
      states.set(cluster, state);
    },
    notified: (channel, result, count) => {
      for (const lost of lostResults) own.notified.inc({ channel, result: lost }, 0);
      own.notified.inc({ channel, result }, count);
    },
    registrations: (provider, state, count) => own.registered.set({ provider, state }, count),
  };
}

function createRollMeter(
  own: ReturnType<typeof createOwnMetrics>,
  peer: PeerMetrics,
): Pick<Meter, "rolled" | "rollFailed" | "rolloutEnded"> {
  return {
    rolled: (cluster, workload, reasons) => {
      const { kind } = workload;
      for (const reason of reasons) own.rolls.inc({ cluster, kind, reason });
      peer.rolled(workload);
      for (const result of rolloutResults) own.rollouts.inc({ cluster, kind, result }, 0);
    },
    rollFailed: (_cluster, workload) => peer.rollFailed(workload),
    rolloutEnded(cluster, kind, result, spent) {
      own.rollouts.inc({ cluster, kind, result });
      if (result === "healthy") own.rolloutSeconds.observe({ cluster }, spent);
    },
  };
}

function createHintMeter(
  own: ReturnType<typeof createOwnMetrics>,
): Pick<Meter, "auditRequest" | "auditEvents" | "hintsMissed"> {
  return {
    auditRequest: (cluster, result) => own.auditRequests.inc({ cluster, result }),
    auditEvents: (cluster, result, count) => own.auditEvents.inc({ cluster, result }, count),
    hintsMissed: (cluster, count) => own.hintsMissed.inc({ cluster }, count),
  };
}

/**
 * Removes the series of unregistered clusters, which would show their last value for ever. Work under way may add to them a moment later, so each
 * cluster is checked until it has no series.
 */
async function removeGone(registry: Registry, gone: Set<string>): Promise<void> {
  const absent = new Set(gone);
  for (const name of gone.size === 0 ? [] : Object.keys(ownMetrics)) {
    const metric = registry.getSingleMetric(name);
    for (const { labels } of (await metric?.get())?.values ?? []) {
      const cluster = String(labels.cluster);
      if (!gone.has(cluster)) continue;
      absent.delete(cluster);
      // The bounds of a histogram are not among the labels that it was created with.
      metric?.remove(Object.fromEntries(Object.entries(labels).filter(([label]) => label !== "le")));
    }
  }
  for (const cluster of absent) gone.delete(cluster);
}
