import { createHash } from "node:crypto";

/** The identity of a span, for its children and for links to it: 16 and 8 bytes as hexadecimal characters. */
export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
}

/** One stage with its begin and end, as wall-clock times in milliseconds. */
export interface Span extends SpanIdentity {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** The changes that caused the roll. */
  readonly links: readonly SpanIdentity[];
  /** A reason, if it ended badly. */
  readonly problem?: string;
}

/**
 * Derives an identity from these names. It is the same in every process, so no trace data has to cross the queue. The names are of objects,
 * versions and times, never of a content.
 */
export function spanIdentity(...names: readonly string[]): SpanIdentity {
  const digest = createHash("sha256").update(JSON.stringify(names)).digest("hex");
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}
