import { isJsonObject, jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";

/** Where an item begins and ends in a body. */
export type ItemSpan = readonly [from: number, to: number];

/** A list, its items not parsed yet. */
export interface EventItems {
  readonly kind: unknown;
  readonly apiVersion: unknown;
  readonly spans: readonly ItemSpan[];
}

/** Why a body is not read. `too-large`: its bytes are within the limit, and one item or their number is not. */
export interface BodyRefusal {
  readonly refused: "malformed" | "too-deep" | "too-large";
}

/** Objects of Kubernetes nest some 20 levels, an event around them adds 3. What nests deeper is no object of ours. */
const depthMax = 128;
/** A body of 32 MiB holds so many events of 640 bytes. */
const eventsMax = 50_000;
/** An object has at most 1.5 MiB; an event with a request and a response holds two. JSON of small values costs twenty times its bytes. */
const itemMaxBytes = 4 * 1024 * 1024;
/** A few words surround the items, and a comma separates two of them. */
const envelopeMaxBytes = 64 * 1024;
const separatorMaxBytes = 16;

const quoteByte = 0x22;
const backslash = 0x5c;
/** With this bit set, square brackets are braces, and no other character is one. */
const braceBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;

/**
 * Finds the items of the list of an object, so that a few can be parsed at a time: memory is bounded by them, whatever the body holds. Items are
 * objects; each is checked when it is parsed, and what is around them is checked here.
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

/** The position of the next bracket that is in no text; the end of the body when there is none. */
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

/** Parses the body with a 0 for each item. An item that is no object, or lies elsewhere, makes the numbers differ. */
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
