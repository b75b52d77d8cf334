import { isJsonObject, jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";

/** The start and the end of an item in a body. */
export type ItemSpan = readonly [from: number, to: number];

/** A list whose items are not parsed yet. */
export interface EventItems {
  readonly kind: unknown;
  readonly apiVersion: unknown;
  readonly spans: readonly ItemSpan[];
}

/** Why a body is refused. `too-large`: its size is within the limit, but one item or the number of items is not. */
export interface BodyRefusal {
  readonly refused: "malformed" | "too-deep" | "too-large";
}

/** Objects of Kubernetes nest some 20 levels; an event around them adds 3. A deeper object is none of ours. */
const depthMax = 128;
/** A body of 32 MiB holds this many events of 640 bytes. */
const eventsMax = 50_000;
/** An object has at most 1.5 MiB; an event with a request and a response holds two. JSON of small values costs twenty times its bytes. */
const itemMaxBytes = 4 * 1024 * 1024;
/** A few words surround the items, and a comma separates two items. */
const envelopeMaxBytes = 64 * 1024;
const separatorMaxBytes = 16;

const quoteByte = 0x22;
const backslash = 0x5c;
/** With this bit set, square brackets become braces, and no other character becomes one. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/**
 * Finds the items of the list in an object, so that a few can be parsed at a time. This bounds the memory, whatever the body contains.
 * Items are objects. Each item is checked when it is parsed; the text around the items is checked here.
 */
export function findItems(body: Buffer, list: "items" | "records"): EventItems | BodyRefusal {
  const spans: ItemSpan[] = [];
  let depth = 0;
  let from = 0;
  for (let at = nextMark(body, 0); at < body.length; at = nextMark(body, at + 1)) {
    if (((body[at] ?? 0) | braceBit) === opening) {
      depth += 1;
      if (depth > depthMax) return { refused: "too-deep" };
      if (depth === 3) from = at;
      continue;
    }
    if (depth === 3) spans.push([from, at + 1]);
    if (depth === 3 && (spans.length > eventsMax || at - from > itemMaxBytes))
      return { refused: "too-large" };
    depth -= 1;
  }
  return readEnvelope(body, list, spans);
}

/** The position of the next bracket outside of texts; the end of the body when there is none. */
function nextMark(body: Buffer, from: number): number {
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    const brace = byte | braceBit;
    if (byte === quoteByte) at = endOfText(body, at);
    else if (brace === opening || brace === closing) return at;
  }
  return body.length;
}

/** The position of the closing quote; the end of the body when there is none. */
function endOfText(body: Buffer, from: number): number {
  for (let at = from + 1; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === backslash) at += 1;
    else if (byte === quoteByte) return at;
  }
  return body.length;
}

/** Parses the body with a 0 for each item. The numbers differ if an item is no object, or is outside the list. */
function readEnvelope(
  body: Buffer,
  list: "items" | "records",
  spans: readonly ItemSpan[],
): EventItems | BodyRefusal {
  const bytes = spans.reduce((left, [from, to]) => left - (to - from), body.length);
  if (bytes > envelopeMaxBytes + spans.length * separatorMaxBytes) return { refused: "malformed" };
  const parts: string[] = [];
  let end = 0;
  for (const [from, to] of spans) {
    parts.push(body.toString("utf8", end, from), "0");
    end = to;
  }
  const envelope = parseJson(parts.join("") + body.toString("utf8", end));
  const items = jsonList(envelope, list);
  if (!isJsonObject(envelope)) return { refused: "malformed" };
  if (items.length !== spans.length || items.some((item) => item !== 0)) return { refused: "malformed" };
  return { kind: jsonField(envelope, "kind"), apiVersion: jsonField(envelope, "apiVersion"), spans };
}
