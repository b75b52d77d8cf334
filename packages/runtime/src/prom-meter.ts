import type { Meter } from "@fleet-reloader/engine/meter";
import type { StreamState } from "@fleet-reloader/engine/source-stream";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const metricDescriptions = {
  fleet_reloader_sources_seen_total: "ConfigMaps and Secrets shown by a list or watch, by kind.",
  fleet_reloader_requests_published_total:
    "Workloads put into the queue because a source of theirs has a new version.",
  fleet_reloader_stream_in_sync: "1 while the list + watch of a resource is in sync.",
  fleet_reloader_reconcile_seconds: "Time a worker spent on one workload, by result.",
  fleet_reloader_rolls_total: "Pod templates changed, by workload kind and reason.",
  fleet_reloader_state_lost_total:
    "Times Redis was found without our state, and everything was compared again.",
  reloader_reload_executed_total:
    "Reloads by success, under the name dashboards made for Stakater Reloader use.",
} as const;

/** What is measured, as Prometheus metrics. Labels are closed sets. */
export function createPromMeter(options: { readonly withProcess: boolean }): {
  readonly meter: Meter;
  metrics(): Promise<string>;
} {
  const registry = new Registry();
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  const described = <N extends keyof typeof metricDescriptions, L extends string>(
    name: N,
    labelNames: readonly L[],
  ) => ({
    name,
    help: metricDescriptions[name],
    labelNames: [...labelNames],
    registers: [registry],
  });
  const seen = new Counter(described("fleet_reloader_sources_seen_total", ["cluster", "kind"]));
  const published = new Counter(described("fleet_reloader_requests_published_total", ["cluster"]));
  const inSync = new Gauge(described("fleet_reloader_stream_in_sync", ["cluster", "resource"]));
  const reconcile = new Histogram({
    ...described("fleet_reloader_reconcile_seconds", ["cluster", "result"]),
    buckets: seconds,
  });
  const rolls = new Counter(described("fleet_reloader_rolls_total", ["cluster", "kind", "reason"]));
  const lost = new Counter(described("fleet_reloader_state_lost_total", ["cluster"]));
  const executed = new Counter(described("reloader_reload_executed_total", ["success"]));
  // As the peer does, so that a rate over a quiet time is 0 and not missing.
  for (const success of ["true", "false"]) executed.inc({ success }, 0);

  const meter: Meter = {
    sourcesSeen: (cluster, kind, count) => seen.inc({ cluster, kind }, count),
    requestsPublished: (cluster, count) => published.inc({ cluster }, count),
    streamState: (cluster, resource, state: StreamState) =>
      inSync.set({ cluster, resource }, state === "watching" ? 1 : 0),
    reconciled: (cluster, result, spent) => {
      reconcile.observe({ cluster, result }, spent);
      if (result === "rolled") executed.inc({ success: "true" });
      if (result === "retry" || result === "dropped") executed.inc({ success: "false" });
    },
    rolled: (cluster, kind, reason) => rolls.inc({ cluster, kind, reason }),
    stateLost: (cluster) => lost.inc({ cluster }),
  };
  return { meter, metrics: () => registry.metrics() };
}
