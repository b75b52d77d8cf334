import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import { isJsonObject, parseJson } from "@fleet-reloader/domain/json";
import { readAuditEvent } from "./audit-event.ts";
import { type BodyRefusal, findItems, type ItemSpan } from "./event-items.ts";
import { type AuditBatch, GatheredBatch } from "./gathered-batch.ts";

export type EventListRefusal = BodyRefusal | { readonly refused: "other-kind" };

/** Parsed in less than a millisecond. Parsing each event on its own takes half as long again. */
const partMaxBytes = 64 * 1024;

/**
 * Reads a body as an `audit.k8s.io/v1` EventList. Yields after some events, so that a large body shares its thread. Returns the batch, or
 * why the body is refused. Never throws, whatever the bytes are.
 */
export function* readEventList(
  body: Buffer,
  isServed: (resource: HintedResource) => boolean,
): Generator<undefined, AuditBatch | EventListRefusal> {
  const items = findItems(body, "items");
  if ("refused" in items) return items;
  if (items.kind !== "EventList" || items.apiVersion !== "audit.k8s.io/v1") return { refused: "other-kind" };
  const gathered = new GatheredBatch(isServed);
  for (const [from, to] of togetherOf(items.spans)) {
    const events = parseJson(`[${body.toString("utf8", from, to)}]`);
    if (!Array.isArray(events)) return { refused: "malformed" };
    for (const event of events) {
      if (!isJsonObject(event)) return { refused: "malformed" };
      gathered.take(readAuditEvent(event));
    }
    yield;
  }
  return gathered;
}

/** The ranges of items that are parsed together. Only a comma is between two items: the text around items was checked. */
function* togetherOf(spans: readonly ItemSpan[]): Generator<ItemSpan> {
  let part: ItemSpan | undefined;
  for (const [from, to] of spans) {
    if (part !== undefined && to - part[0] <= partMaxBytes) part = [part[0], to];
    else {
      if (part !== undefined) yield part;
      part = [from, to];
    }
  }
  if (part !== undefined) yield part;
}
