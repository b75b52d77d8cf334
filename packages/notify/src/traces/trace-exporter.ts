import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Drain } from "@fleet-reloader/engine/async/drain";
import { RecentMap } from "@fleet-reloader/engine/async/recent-map";
import type { TracedRoll, TracedRollout, Tracer } from "@fleet-reloader/engine/history/tracer";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { createReceiver, type Receiver } from "../post.ts";
import { otlpBody, type TracedProcess } from "./otlp-body.ts";
import { changeSpans, rolloutSpan, rollSpans } from "./roll-spans.ts";
import type { Span } from "./span.ts";

export interface TraceExporterOptions {
  readonly receiver: Receiver;
  readonly traced: TracedProcess;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenTraceExporterOptions {
  /** The collector's address. Spans are sent to /v1/traces below it. */
  readonly endpoint: URL;
  /** Headers that the collector requires, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly traced: TracedProcess;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens an exporter to a collector. */
export function openTraceExporter(options: OpenTraceExporterOptions): TraceExporter {
  const { clock, endpoint, headers, log, traced, userAgent } = options;
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return new TraceExporter({ receiver: createReceiver({ url, headers, userAgent }), traced, clock, log });
}

/** As in OpenTelemetry's batch processor: https://opentelemetry.io/docs/specs/otel/trace/sdk/#batching-processor */
const spansMax = 2048;
const spansPerPost = 512;
/** A fan-out ends a thousand spans a second. In OpenTelemetry's five seconds they would exceed the queue. */
const delayMs = 1000;
/** One change rolls many workloads, and each worker sends its span once. */
const changesRemembered = 4096;

/**
 * Sends spans to a collector by OTLP over HTTP, some seconds after they end. Memory is bounded: spans that the collector does not take in
 * time are dropped. A batch is sent only once, because a request whose answer is lost may have succeeded.
 */
export class TraceExporter implements Tracer {
  readonly #options: TraceExporterOptions;
  readonly #lifetime = new AbortController();
  readonly #sentChanges = new RecentMap<string, true>(changesRemembered);
  readonly #drain: Drain;
  #waiting: Span[] = [];
  #isFailing = false;
  #isFull = false;

  constructor(options: TraceExporterOptions) {
    const { clock } = options;
    this.#options = options;
    this.#drain = new Drain({
      hasMore: () => this.#waiting.length > 0,
      gather: async (hurry) => {
        // A full batch is sent without a wait.
        if (this.#waiting.length < spansPerPost) await clock.sleep(delayMs, hurry).catch(() => undefined);
      },
      flush: () => this.#sendBatch(),
    });
  }

  rolled(roll: TracedRoll): void {
    for (const span of changeSpans(roll)) {
      if (this.#sentChanges.get(span.traceId) === true) continue;
      if (this.#put(span)) this.#sentChanges.set(span.traceId, true);
    }
    for (const span of rollSpans(roll)) this.#put(span);
  }

  ended(rollout: TracedRollout): void {
    this.#put(rolloutSpan(rollout));
  }

  /** Sends the queued spans, for at most this long. */
  async stop(graceMs: number): Promise<void> {
    const { clock, receiver } = this.#options;
    await atMost(graceMs, clock, this.#drain.finish());
    this.#lifetime.abort();
    await receiver.close();
  }

  /** Whether there was room for the span. */
  #put(span: Span): boolean {
    if (this.#lifetime.signal.aborted) return false;
    const isFull = this.#waiting.length >= spansMax;
    if (isFull && !this.#isFull)
      this.#options.log.warn({ waiting: spansMax }, "spans are dropped: the collector is too slow");
    this.#isFull = isFull;
    if (isFull) return false;
    this.#waiting.push(span);
    this.#drain.begin();
    return true;
  }

  async #sendBatch(): Promise<void> {
    const { receiver, traced } = this.#options;
    const batch = this.#waiting.slice(0, spansPerPost);
    this.#waiting = this.#waiting.slice(spansPerPost);
    try {
      await receiver.post(otlpBody(batch, traced), this.#lifetime.signal);
      this.#recovered();
    } catch (error) {
      for (const { traceId } of batch) this.#sentChanges.delete(traceId);
      // The process ends and has waited as long as it may.
      if (!this.#lifetime.signal.aborted) this.#lost(asFault(error));
    }
  }

  /** Warns when failures begin, not at each failure. */
  #lost(fault: Fault): void {
    const fields = { reason: fault.code, err: fault.message };
    if (this.#isFailing) this.#options.log.debug(fields, "spans are lost");
    else this.#options.log.warn(fields, "spans are lost; workloads are rolled all the same");
    this.#isFailing = true;
  }

  #recovered(): void {
    if (this.#isFailing) this.#options.log.info({}, "spans are taken again");
    this.#isFailing = false;
  }
}
