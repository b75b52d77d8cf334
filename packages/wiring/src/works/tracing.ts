import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Tracer } from "@fleet-reloader/engine/history/tracer";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { traceFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { instanceName, userAgent, version } from "@fleet-reloader/runtime/process/version";

export interface TracingOptions {
  readonly config: ConfigOf<typeof traceFields>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Tracing {
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  stop(): Promise<void>;
}

/** Spans that are unsent by then are dropped. */
const tracingGraceMs = 2000;

/** Sends spans if a collector is given. Only then are its modules loaded. */
export async function openTracing({ config, clock, log }: TracingOptions): Promise<Tracing> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = config;
  if (endpoint === undefined) return { tracer: undefined, stop: async () => undefined };
  const { openTraceExporter } = await import("@fleet-reloader/notify/traces/trace-exporter");
  const traced = { version, instance: instanceName() };
  const exporter = openTraceExporter({ endpoint, headers, userAgent, traced, clock, log });
  return { tracer: exporter, stop: () => exporter.stop(tracingGraceMs) };
}
