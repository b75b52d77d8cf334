import { gunzipSync } from "node:zlib";
import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { type EventReading, readAuditEvent } from "./audit-event.ts";
import { type BodyRefusal, findItems } from "./event-items.ts";
import { type AuditBatch, GatheredBatch } from "./gathered-batch.ts";

/** CloudWatch puts at most 1 MiB into a record, compressed some fifteen times. */
const recordMaxBytes = 16 * 1024 * 1024;
/** The limit of all records together. Logs never compress into more than this. */
const totalMaxBytes = 128 * 1024 * 1024;
/** The limit of messages in all records together, as for an event list: `eventsMax` in event-items. */
const messagesMax = 50_000;
/** The log streams of an EKS control plane that hold audit events. */
const auditStreamPrefix = "kube-apiserver-audit";

/**
 * Reads a body of Amazon Data Firehose. Its records are base64. Each is either what CloudWatch Logs sends to a subscription (gzip, or
 * decompressed by Firehose), or only its messages, one a line. Messages are `audit.k8s.io/v1` events. Yields after each event. Never
 * throws, whatever the bytes are.
 * https://docs.aws.amazon.com/firehose/latest/dev/httpdeliveryrequestresponse.html,
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html
 */
export function* readFirehose(
  body: Buffer,
  isServed: (resource: HintedResource) => boolean,
): Generator<undefined, AuditBatch | BodyRefusal> {
  const records = findItems(body, "records");
  if ("refused" in records) return records;
  const gathered = new GatheredBatch(isServed);
  let bytesLeft = totalMaxBytes;
  let messagesLeft = messagesMax;
  for (const [from, to] of records.spans) {
    const data = jsonText(parseJson(body.toString("utf8", from, to)), "data");
    if (data === undefined) return { refused: "malformed" };
    const text = unpacked(Buffer.from(data, "base64"), Math.min(recordMaxBytes, bytesLeft));
    if (typeof text !== "string") return text;
    bytesLeft -= text.length;
    for (const message of messagesOf(text)) {
      messagesLeft -= 1;
      if (messagesLeft < 0) return { refused: "too-large" };
      if (message !== blank) gathered.take(readMessage(message));
      yield;
    }
  }
  return gathered;
}

function unpacked(data: Buffer, maxOutputLength: number): string | BodyRefusal {
  const isCompressed = data[0] === 0x1f && data[1] === 0x8b;
  if (!isCompressed) return data.toString("utf8");
  if (maxOutputLength < 1) return { refused: "too-large" };
  try {
    return gunzipSync(data, { maxOutputLength }).toString("utf8");
  } catch (error) {
    return { refused: jsonField(error, "code") === "ERR_BUFFER_TOO_LARGE" ? "too-large" : "malformed" };
  }
}

/** An empty line. It is counted and not read. */
const blank = Symbol("blank");

/** Parses the messages, each an event as the API server wrote it. CloudWatch cuts messages after 256 KiB, so a message may be invalid JSON. */
function* messagesOf(text: string): Generator<unknown> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? undefined : end).trim();
    from = end === -1 ? text.length : end + 1;
    const value = line === "" ? blank : parseJson(line);
    if (jsonText(value, "messageType") === undefined) yield value;
    else if (isOfAudit(value))
      for (const entry of jsonList(value, "logEvents")) yield parseJson(jsonText(entry, "message") ?? "");
  }
}

/** A control message only tests the connection. The other streams of a control plane contain other logs. */
function isOfAudit(envelope: unknown): boolean {
  const stream = jsonText(envelope, "logStream") ?? "";
  return jsonField(envelope, "messageType") === "DATA_MESSAGE" && stream.startsWith(auditStreamPrefix);
}

function readMessage(event: unknown): EventReading {
  const isEvent = jsonText(event, "kind") === "Event" && jsonText(event, "apiVersion") === "audit.k8s.io/v1";
  return isEvent ? readAuditEvent(event) : { type: "ignored", reason: "malformed", hasBody: false };
}
