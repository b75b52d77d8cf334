import { createHash } from "node:crypto";

/** Who a span is, for its children and for links to it: 16 and 8 bytes as hexadecimal characters. */
export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
}

/** One stage with its beginning and end, as wall times in milliseconds. */
export interface Span extends SpanIdentity {
  readonly parentSpanId?: string;
  readonly name: string;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Readonly<Record<string, string>>;
  /** The changes that the roll answers. */
  readonly links: readonly SpanIdentity[];
  /** It ended badly, in a word. */
  readonly problem?: string;
}

/**
 * The identity of what these names stand for, the same in every process: nothing about traces has to cross the queue. The names are of
 * objects, versions and times, never of a content.
 */
export function spanIdentity(...names: readonly string[]): SpanIdentity {
  const digest = createHash("sha256").update(JSON.stringify(names)).digest("hex");
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}
