import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Outcome } from "@fleet-reloader/engine/ports/request";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * The metrics of Stakater Reloader that have a meaning with us, under its names and with its labels and buckets, so that
 * dashboards and alerts made for it go on. What each means here, where that differs, is said in its description.
 */
export const peerMetricDescriptions = {
  reloader_reload_executed_total: "Reloads by success.",
  reloader_reload_executed_total_by_namespace:
    "Reloads by success and namespace; only with METRICS_COUNT_BY_NAMESPACE=enabled.",
  reloader_reconcile_total:
    "Reconciled workloads: success when something was written, skipped when nothing was due or a brake holds the roll, or error. (Stakater Reloader counts events.)",
  reloader_reconcile_duration_seconds: "Time a worker spent on one workload, by result.",
  reloader_action_total: "Attempts to reload a workload, by its kind and result.",
  reloader_action_latency_seconds: "Time from taking a request to the changed pod template.",
  reloader_skipped_total:
    "Reconciled workloads without a write: no_data_change or ignored_or_not_selected. (strategy_not_updated does not occur.)",
  reloader_workqueue_depth: "Requests that are due and that no worker has taken yet.",
  reloader_workqueue_adds_total: "Requests put into the queue because a source has a new version.",
  reloader_workqueue_latency_seconds:
    "Time that a request spent in the queue before it was first taken, including the debounce.",
  reloader_errors_total: "Attempts that failed, as type handler_error. (invalid_handler_type cannot occur.)",
  reloader_retries_total: "Requests that went back into the queue after a failed attempt.",
  reloader_events_received_total:
    "ConfigMaps and Secrets received: add from a list, update from an event of a watch, delete from a deletion.",
  reloader_events_processed_total:
    "ConfigMaps and Secrets compared, with their requests published. The result is always success, since none is dropped.",
  reloader_workloads_scanned_total: "Workloads read for a decision, by kind.",
  reloader_workloads_matched_total: "Those of the scanned workloads that needed a reload, by kind.",
  rest_client_requests_total:
    "Requests to API servers by status code (<error> without an answer), method and host.",
  rest_client_request_duration_seconds:
    "Time until an API server answers, by verb and host, without watches.",
} as const;

/** One request to an API server, as the HTTP layer saw it. */
export interface ApiRequest {
  readonly method: string;
  readonly host: string;
  /** The status, or `<error>`. */
  readonly code: string;
  /** Undefined for a stream: it has no end to measure to. */
  readonly seconds: number | undefined;
}

type ReconcileResult = Outcome | "retry" | "held" | "delayed" | "dropped";

const resourceTypes: Readonly<Record<string, string>> = { ConfigMap: "configmaps", Secret: "secrets" };
const eventTypes = { listed: "add", changed: "update", deleted: "delete" } as const;
const results: Readonly<Record<ReconcileResult, "success" | "skipped" | "error">> = {
  rolled: "success",
  recorded: "success",
  unchanged: "skipped",
  ignored: "skipped",
  gone: "skipped",
  held: "skipped",
  delayed: "error",
  retry: "error",
  dropped: "error",
};
const skipReasons: Partial<Record<ReconcileResult, string>> = {
  unchanged: "no_data_change",
  ignored: "ignored_or_not_selected",
};
const reconcileBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type PeerMetrics = ReturnType<typeof createPeerMetrics>;

/** Registers the peer's metrics, and takes the same sentences as our meter. */
export function createPeerMetrics(registry: Registry, options: { readonly countByNamespace: boolean }) {
  const described = <N extends keyof typeof peerMetricDescriptions, L extends string>(
    name: N,
    labelNames: readonly L[],
  ) => ({ name, help: peerMetricDescriptions[name], labelNames: [...labelNames], registers: [registry] });
  const executed = new Counter(described("reloader_reload_executed_total", ["success"]));
  // As the peer does, so that a rate over a quiet time is 0 and not missing.
  for (const success of ["true", "false"]) executed.inc({ success }, 0);
  const byNamespace = options.countByNamespace
    ? new Counter(described("reloader_reload_executed_total_by_namespace", ["success", "namespace"]))
    : undefined;
  const reconciles = new Counter(described("reloader_reconcile_total", ["result"]));
  const reconcileSeconds = new Histogram({
    ...described("reloader_reconcile_duration_seconds", ["result"]),
    buckets: reconcileBuckets,
  });
  const actions = new Counter(described("reloader_action_total", ["workload_kind", "result"]));
  const actionSeconds = new Histogram({
    ...described("reloader_action_latency_seconds", ["workload_kind"]),
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  });
  const skipped = new Counter(described("reloader_skipped_total", ["reason"]));
  const adds = new Counter(described("reloader_workqueue_adds_total", []));
  const waits = new Histogram({
    ...described("reloader_workqueue_latency_seconds", []),
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const errors = new Counter(described("reloader_errors_total", ["type"]));
  const retries = new Counter(described("reloader_retries_total", []));
  const received = new Counter(described("reloader_events_received_total", ["event_type", "resource_type"]));
  const processed = new Counter(
    described("reloader_events_processed_total", ["event_type", "resource_type", "result"]),
  );
  const scanned = new Counter(described("reloader_workloads_scanned_total", ["kind"]));
  const matched = new Counter(described("reloader_workloads_matched_total", ["kind"]));
  const requests = new Counter(described("rest_client_requests_total", ["code", "method", "host"]));
  const requestSeconds = new Histogram({
    ...described("rest_client_request_duration_seconds", ["verb", "host"]),
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  });
  let depth: (() => Promise<number>) | undefined;
  new Gauge({
    ...described("reloader_workqueue_depth", []),
    async collect() {
      const waiting = depth === undefined ? undefined : await inTime(depth());
      // Unknown stays what it was: Redis may be away, and the page has to be shown all the same.
      if (waiting !== undefined) this.set(waiting);
    },
  });

  const countReload = (success: "true" | "false", { namespace }: WorkloadRef): void => {
    executed.inc({ success });
    byNamespace?.inc({ success, namespace });
  };

  return {
    sourcesSeen(kind: SourceKind, count: number, how: keyof typeof eventTypes): void {
      received.inc({ event_type: eventTypes[how], resource_type: resourceType(kind) }, count);
    },
    sourcesCompared(kind: SourceKind, count: number): void {
      processed.inc({ event_type: "unknown", resource_type: resourceType(kind), result: "success" }, count);
    },
    requestsPublished: (count: number): void => adds.inc(count),
    requestTaken: (waitedMs: number): void => waits.observe(waitedMs / 1000),
    reconciled(outcome: ReconcileResult, seconds: number, workload: WorkloadRef): void {
      const { kind } = workload;
      const result = results[outcome];
      reconciles.inc({ result });
      reconcileSeconds.observe({ result }, seconds);
      const skipReason = skipReasons[outcome];
      if (skipReason !== undefined) skipped.inc({ reason: skipReason });
      if (result !== "error") scanned.inc({ kind });
      if (outcome === "rolled") {
        countReload("true", workload);
        actions.inc({ workload_kind: kind, result: "success" });
        actionSeconds.observe({ workload_kind: kind }, seconds);
        matched.inc({ kind });
      }
      if (outcome === "retry" || outcome === "dropped") {
        countReload("false", workload);
        actions.inc({ workload_kind: kind, result: "error" });
        errors.inc({ type: "handler_error" });
      }
      if (outcome === "retry") retries.inc();
    },
    requested({ method, host, code, seconds }: ApiRequest): void {
      requests.inc({ code, method, host });
      if (seconds !== undefined) requestSeconds.observe({ verb: method, host }, seconds);
    },
    /** How the depth of the queue is learnt when somebody looks at the metrics. */
    watchQueue(ask: () => Promise<number>): void {
      depth = ask;
    },
  };
}

function resourceType(kind: SourceKind): string {
  return resourceTypes[kind] ?? `${kind.toLowerCase()}s`;
}

/** Scrapers give up after some seconds; Redis may take longer to be back. */
const depthPatienceMs = 500;

async function inTime(asked: Promise<number>): Promise<number | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), depthPatienceMs);
  });
  try {
    return await Promise.race([asked.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
