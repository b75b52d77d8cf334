import { compatResourceName } from "@fleet-reloader/domain/compat/kind-name";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { SourceSeen } from "@fleet-reloader/engine/ports/meter";
import type { Outcome } from "@fleet-reloader/engine/ports/request";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { systemClock } from "../process/system-clock.ts";

/**
 * The metrics of Stakater Reloader that have a meaning here, with its names, labels and buckets, so that existing dashboards and alerts keep
 * working. The description says where the meaning differs.
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
  reloader_workqueue_depth: "Requests that are due, that nothing holds, and that no worker has taken yet.",
  reloader_workqueue_adds_total: "Requests put into the queue because a source has a new version.",
  reloader_workqueue_latency_seconds:
    "Time that a request spent in the queue before it was first taken, including the debounce.",
  reloader_errors_total:
    "Attempts to write a roll that failed, as type handler_error. (invalid_handler_type cannot occur.)",
  reloader_retries_total: "Requests that went back into the queue after a failed attempt.",
  reloader_events_received_total:
    "ConfigMaps and Secrets received: add from a list or when created, update when changed, delete when deleted.",
  reloader_events_processed_total:
    "ConfigMaps and Secrets compared, with their requests published. The result is always success, since none is dropped.",
  reloader_workloads_scanned_total: "Workloads read for a decision, by kind.",
  reloader_workloads_matched_total: "Those of the scanned workloads that needed a reload, by kind.",
  rest_client_requests_total:
    "Requests to API servers by status code (<error> without an answer), method and host.",
  rest_client_request_duration_seconds:
    "Time until an API server answers, by verb and host, without watches.",
} as const;

/** One request to an API server, as the HTTP layer records it. */
export interface ApiRequest {
  readonly method: string;
  readonly host: string;
  /** The status, or `<error>`. */
  readonly code: string;
  /** Undefined for a stream, which has no measurable end. */
  readonly seconds: number | undefined;
}

type PeerResult = Outcome | "retry" | "held" | "delayed" | "dropped";

const eventTypes: Readonly<Record<SourceSeen, "add" | "update" | "delete">> = {
  listed: "add",
  created: "add",
  changed: "update",
  deleted: "delete",
};
const results: Readonly<Record<PeerResult, "success" | "skipped" | "error">> = {
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
const skipReasons: Partial<Record<PeerResult, string>> = {
  unchanged: "no_data_change",
  ignored: "ignored_or_not_selected",
};
const reconcileBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type PeerMetrics = ReturnType<typeof createPeerMetrics>;

/** Registers the peer's metrics. Its methods have the names and meanings of our meter's. */
export function createPeerMetrics(registry: Registry, options: { readonly countByNamespace: boolean }) {
  const own = createInstruments(registry, options.countByNamespace);
  const watchQueue = createQueueDepth(registry);
  // As the peer does: the rate over a quiet time is 0 instead of missing.
  for (const success of ["true", "false"]) own.executed.inc({ success }, 0);

  return {
    sourcesSeen(kind: SourceKind, count: number, how: SourceSeen): void {
      own.received.inc({ event_type: eventTypes[how], resource_type: compatResourceName(kind) }, count);
    },
    sourcesCompared(kind: SourceKind, count: number): void {
      own.processed.inc(
        { event_type: "unknown", resource_type: compatResourceName(kind), result: "success" },
        count,
      );
    },
    requestsPublished: (count: number): void => own.adds.inc(count),
    requestTaken: (waitedMs: number): void => own.waits.observe(waitedMs / 1000),
    reconciled(outcome: PeerResult, seconds: number, { kind }: WorkloadRef): void {
      const result = results[outcome];
      own.reconciles.inc({ result });
      own.reconcileSeconds.observe({ result }, seconds);
      const skipReason = skipReasons[outcome];
      if (skipReason !== undefined) own.skipped.inc({ reason: skipReason });
      if (result !== "error") own.scanned.inc({ kind });
      if (outcome === "rolled") own.actionSeconds.observe({ workload_kind: kind }, seconds);
      if (outcome === "retry") own.retries.inc();
    },
    rolled: (workload: WorkloadRef): void => countRoll(own, workload),
    rollFailed: (workload: WorkloadRef): void => countFailure(own, workload),
    requested({ method, host, code, seconds }: ApiRequest): void {
      own.requests.inc({ code, method, host });
      if (seconds !== undefined) own.requestSeconds.observe({ verb: method, host }, seconds);
    },
    /** Sets how the depth of the queue is read when the metrics are read. */
    watchQueue,
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function countReload(own: Instruments, success: "true" | "false", { namespace }: WorkloadRef): void {
  own.executed.inc({ success });
  own.byNamespace?.inc({ success, namespace });
}

function countRoll(own: Instruments, workload: WorkloadRef): void {
  const { kind } = workload;
  countReload(own, "true", workload);
  own.actions.inc({ workload_kind: kind, result: "success" });
  own.matched.inc({ kind });
}

function countFailure(own: Instruments, workload: WorkloadRef): void {
  countReload(own, "false", workload);
  own.actions.inc({ workload_kind: workload.kind, result: "error" });
  own.errors.inc({ type: "handler_error" });
}

function createInstruments(registry: Registry, countByNamespace: boolean) {
  const described = <N extends keyof typeof peerMetricDescriptions, L extends string>(
    name: N,
    labelNames: readonly L[],
  ) => ({ name, help: peerMetricDescriptions[name], labelNames: [...labelNames], registers: [registry] });
  return {
    executed: new Counter(described("reloader_reload_executed_total", ["success"])),
    byNamespace: countByNamespace
      ? new Counter(described("reloader_reload_executed_total_by_namespace", ["success", "namespace"]))
      : undefined,
    reconciles: new Counter(described("reloader_reconcile_total", ["result"])),
    reconcileSeconds: new Histogram({
      ...described("reloader_reconcile_duration_seconds", ["result"]),
      buckets: reconcileBuckets,
    }),
    actions: new Counter(described("reloader_action_total", ["workload_kind", "result"])),
    actionSeconds: new Histogram({
      ...described("reloader_action_latency_seconds", ["workload_kind"]),
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    }),
    skipped: new Counter(described("reloader_skipped_total", ["reason"])),
    adds: new Counter(described("reloader_workqueue_adds_total", [])),
    waits: new Histogram({
      ...described("reloader_workqueue_latency_seconds", []),
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    errors: new Counter(described("reloader_errors_total", ["type"])),
    retries: new Counter(described("reloader_retries_total", [])),
    received: new Counter(described("reloader_events_received_total", ["event_type", "resource_type"])),
    processed: new Counter(
      described("reloader_events_processed_total", ["event_type", "resource_type", "result"]),
    ),
    scanned: new Counter(described("reloader_workloads_scanned_total", ["kind"])),
    matched: new Counter(described("reloader_workloads_matched_total", ["kind"])),
    requests: new Counter(described("rest_client_requests_total", ["code", "method", "host"])),
    requestSeconds: new Histogram({
      ...described("rest_client_request_duration_seconds", ["verb", "host"]),
      buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    }),
  };
}

/** Registers the depth of the queue. The returned function sets its reader. */
function createQueueDepth(registry: Registry): (ask: () => Promise<number>) => void {
  let depth: (() => Promise<number>) | undefined;
  new Gauge({
    name: "reloader_workqueue_depth",
    help: peerMetricDescriptions.reloader_workqueue_depth,
    registers: [registry],
    async collect() {
      const waiting = depth === undefined ? undefined : await inPeerTime(depth());
      // While Redis is away the depth keeps its last value, and the page is still served.
      if (waiting !== undefined) this.set(waiting);
    },
  });
  return (ask) => {
    depth = ask;
  };
}

/** Scrapers give up after some seconds; Redis may be away for longer. */
const depthPatienceMs = 500;

async function inPeerTime(asked: Promise<number>): Promise<number | undefined> {
  const late = `redis: no answer within ${depthPatienceMs} ms`;
  return await answerWithin(depthPatienceMs, systemClock, asked, late).catch(() => undefined);
}
