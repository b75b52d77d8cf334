import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { auditEvent, cloudWatchRecord, firehoseBody, readWholeFirehose } from "./fixture/audit-events.ts";

const message = { kind: "Event", apiVersion: "audit.k8s.io/v1", ...auditEvent() };

describe("a delivery of Firehose", () => {
  const lines = `${JSON.stringify(message)}\n${JSON.stringify(message)}\n`;

  test.each([
    ["as CloudWatch sends them", cloudWatchRecord([message, message])],
    ["decompressed", Buffer.from(JSON.stringify({ ...envelopeOf([message, message]) }))],
    ["as messages alone, a line each", Buffer.from(lines)],
    ["as messages alone, compressed", gzipSync(lines)],
  ])("has its events %s", (_, record) => {
    const batch = readWholeFirehose(firehoseBody(record));
    expect(batch).toMatchObject({ events: 2, hints: new Set(["/configmaps/shop/settings"]) });
    expect("writes" in batch && batch.writes[0]?.by.user).toBe("ann@example.org");
  });

  test("of many records is read to the last one", () => {
    const records = Array.from({ length: 40 }, () => cloudWatchRecord([message]));
    expect(readWholeFirehose(firehoseBody(...records))).toMatchObject({ events: 40 });
  });

  test.each([
    ["a control message", { messageType: "CONTROL_MESSAGE" }],
    ["the log of the authenticator", { logStream: "authenticator-1f0c" }],
    ["the log of the API server", { logStream: "kube-apiserver-1f0c" }],
    ["no stream", { logStream: undefined }],
  ])("with %s has no events", (_, envelope) => {
    const body = firehoseBody(cloudWatchRecord([message], envelope));
    expect(readWholeFirehose(body)).toMatchObject({ events: 0, hints: new Set() });
  });

  test.each([
    ["is cut off", JSON.stringify(message).slice(0, 90)],
    ["is of another kind", { ...message, kind: "Status" }],
    ["is of another version", { ...message, apiVersion: "audit.k8s.io/v2" }],
  ])("counts a message that %s, and reads the others", (_, bad) => {
    const batch = readWholeFirehose(firehoseBody(cloudWatchRecord([bad, message])));
    expect(batch).toMatchObject({ events: 2, ignored: new Map([["malformed", 1]]) });
  });

  test("drops the objects of events above the level Metadata, and tells of them", () => {
    const batch = readWholeFirehose(
      firehoseBody(cloudWatchRecord([{ ...message, requestObject: { data: { password: "canary-71" } } }])),
    );
    expect(batch).toMatchObject({ withBody: 1 });
    expect(JSON.stringify(batch)).not.toContain("canary-71");
  });

  test.each([
    ["no JSON", Buffer.from("{")],
    ["a list of events", Buffer.from(JSON.stringify({ items: [] }))],
    ["a record without data", Buffer.from('{"records":[{}]}')],
    ["a record that is no object", Buffer.from('{"records":["eA=="]}')],
    ["data that begins as gzip and is none", firehoseBody(Buffer.from([0x1f, 0x8b, 1, 2, 3]))],
    ["data that is cut off", firehoseBody(cloudWatchRecord([message]).subarray(0, 40))],
  ])("with %s is refused", (_, body) => {
    const isEmptyList = body.includes("items");
    expect(readWholeFirehose(body)).toMatchObject(isEmptyList ? { events: 0 } : { refused: "malformed" });
  });

  test("that grows without bounds is refused", () => {
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024));
    expect(readWholeFirehose(firehoseBody(bomb))).toEqual({ refused: "too-large" });
    const lines = gzipSync(Buffer.alloc(1024 * 1024, "\n"));
    expect(readWholeFirehose(firehoseBody(lines))).toEqual({ refused: "too-large" });
    const large = gzipSync(Buffer.alloc(16 * 1024 * 1024 - 1));
    const many = firehoseBody(...Array.from({ length: 9 }, () => large));
    expect(readWholeFirehose(many)).toEqual({ refused: "too-large" });
  });

  test("ends with a batch or a refusal, whatever the bytes of a record are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isCompressed) => {
        const record = isCompressed ? gzipSync(bytes) : Buffer.from(bytes);
        expect(readWholeFirehose(firehoseBody(record))).toBeTypeOf("object");
      }),
    );
  });
});

function envelopeOf(events: readonly unknown[]) {
  const logEvents = events.map((event) => ({ id: "1", timestamp: 1, message: JSON.stringify(event) }));
  return { messageType: "DATA_MESSAGE", logStream: "kube-apiserver-audit-1f0c", logEvents };
}
