import type { Body } from "../post.ts";
import type { Span, SpanIdentity } from "./span.ts";

/** The process that sends the spans. */
export interface TracedProcess {
  readonly version: string;
  /** The name of this process among the others. */
  readonly instance: string;
}

/** SPAN_KIND_INTERNAL and STATUS_CODE_ERROR of opentelemetry-proto. */
const internalKind = 1;
const errorStatus = 2;

/** An ExportTraceServiceRequest as JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function otlpBody(spans: readonly Span[], { instance, version }: TracedProcess): Body {
  const resource = {
    attributes: attributeList({
      "service.name": "fleet-reloader",
      "service.version": version,
      "service.instance.id": instance,
    }),
  };
  const scopeSpans = [{ scope: { name: "fleet-reloader", version }, spans: spans.map(otlpSpan) }];
  return {
    contentType: "application/json",
    text: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
  };
}

function otlpSpan({ traceId, spanId, parentSpanId, name, links, problem, ...span }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: internalKind,
    startTimeUnixNano: unixNano(span.beganAtMs),
    endTimeUnixNano: unixNano(Math.max(span.beganAtMs, span.endedAtMs)),
    attributes: attributeList(span.attributes),
    links: links.map((link: SpanIdentity) => ({ traceId: link.traceId, spanId: link.spanId })),
    ...(problem === undefined ? {} : { status: { code: errorStatus, message: problem } }),
  };
}

function attributeList(attributes: Readonly<Record<string, string>>) {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** 64-bit numbers are texts in this encoding. */
function unixNano(ms: number): string {
  return `${Math.round(ms)}000000`;
}
