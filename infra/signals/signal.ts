import type { OwnMetricName } from "../../packages/runtime/src/metrics/own-metrics.ts";
import type { peerMetricDescriptions } from "../../packages/runtime/src/metrics/peer-metrics.ts";

/** A metric that the product exports. */
export type MetricName = OwnMetricName | keyof typeof peerMetricDescriptions;

/** One graph of the dashboard. */
export interface Panel {
  readonly row: "Clusters" | "Changes" | "Rolls" | "Ourselves";
  readonly title: string;
  /** As Grafana names it. */
  readonly unit: "short" | "s" | "ops" | "bool";
  /** PromQL. `$cluster` and `$__rate_interval` are variables of Grafana. */
  readonly query: string;
  readonly legend: string;
}

/** One alert. Its section in the runbooks has the same name. */
export interface Alert {
  readonly name: `FleetReloader${string}`;
  readonly metric: MetricName;
  readonly severity: "critical" | "warning" | "info";
  /** How long it has to be true. */
  readonly forMinutes: number;
  /** PromQL. `$window` stands for `windowMinutes`. */
  readonly expression: string;
  readonly windowMinutes?: number;
  /** What happens, in one sentence, with labels as Prometheus writes them. */
  readonly summary: string;
}
