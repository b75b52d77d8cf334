import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import { isJsonObject, parseJson } from "@fleet-reloader/domain/json";
import { readAuditEvent } from "./audit-event.ts";
import { type BodyRefusal, findItems } from "./event-items.ts";
import { type AuditBatch, GatheredBatch } from "./gathered-batch.ts";

export type EventListRefusal = BodyRefusal | { readonly refused: "other-kind" };

/**
 * Reads a body as an `audit.k8s.io/v1` EventList. Yields after each event, so that a large body shares its thread; returns the batch, or
 * why the body is none. Never throws, whatever the bytes are.
 */
export function* readEventList(
  body: Buffer,
  isServed: (resource: HintedResource) => boolean,
): Generator<undefined, AuditBatch | EventListRefusal> {
  const items = findItems(body, "items");
  if ("refused" in items) return items;
  if (items.kind !== "EventList" || items.apiVersion !== "audit.k8s.io/v1") return { refused: "other-kind" };
  const gathered = new GatheredBatch(isServed);
  for (const [from, to] of items.spans) {
    const event = parseJson(body.toString("utf8", from, to));
    if (!isJsonObject(event)) return { refused: "malformed" };
    gathered.take(readAuditEvent(event));
    yield;
  }
  return gathered;
}
