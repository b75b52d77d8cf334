import { describe, expect, test } from "vitest";
import { text } from "../json.ts";
import { WatchReader } from "./watch-reader.ts";

const reader = () => new WatchReader((object) => text(object, "metadata", "name") || undefined);

const line = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion } } })}\n`;

const read = (...lines: readonly string[]) => reader().read(Buffer.from(lines.join("")));

const error = (code: number, details: object = {}) =>
  `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code, message: "said", ...details } })}\n`;

describe("the lines of a watch", () => {
  test("become events in their order, to resume after the last", () => {
    const lines = [line("ADDED", "a", "1"), line("MODIFIED", "a", "2"), line("DELETED", "a", "3")];
    expect(read(...lines)).toEqual({
      events: [
        { type: "upsert", object: "a", isNew: true },
        { type: "upsert", object: "a" },
        { type: "delete", object: "a" },
      ],
      resourceVersion: "3",
      end: undefined,
    });
  });

  test("a bookmark is no event and moves the version", () => {
    expect(read(line("ADDED", "a", "1"), line("BOOKMARK", "", "9"))).toMatchObject({
      events: [{ object: "a" }],
      resourceVersion: "9",
    });
  });

  test("an object that is left out moves the version", () => {
    expect(read(line("ADDED", "", "4"))).toEqual({ events: [], resourceVersion: "4", end: undefined });
  });

  // The list shows the remaining objects.
  test("a deletion without a name ends the watch, so that a list follows", () => {
    expect(read(line("ADDED", "a", "1"), line("DELETED", "", "2"))).toMatchObject({
      events: [{ object: "a" }],
      end: { code: "kube.malformed" },
    });
  });

  test("a chunk without a complete line says nothing yet", () => {
    const watch = reader();
    expect(watch.hasUnfinishedLine).toBe(false);
    expect(watch.read(Buffer.from(line("ADDED", "a", "1").trim()))).toEqual({
      events: [],
      resourceVersion: undefined,
      end: undefined,
    });
    expect(watch.hasUnfinishedLine).toBe(true);
    expect(watch.read(Buffer.from("\n")).resourceVersion).toBe("1");
    expect(watch.hasUnfinishedLine).toBe(false);
  });

  test.each([
    ["no JSON", "no json\n"],
    ["JSON that is no event", "[]\n"],
    ["an unknown type", line("RENAMED", "b", "2")],
    ["an object without a version", line("ADDED", "b", "")],
  ])("%s ends the watch before it: nothing is skipped, nothing after it counts", (_what, broken) => {
    expect(read(line("ADDED", "a", "1"), broken, line("ADDED", "c", "3"))).toMatchObject({
      events: [{ type: "upsert", object: "a" }],
      resourceVersion: "1",
      end: { code: "kube.malformed" },
    });
  });

  test("an error ends the watch, and its code tells how to go on", () => {
    const ends = [410, 429, 500, 504].map((code) => read(line("ADDED", "a", "1"), error(code)));
    expect(ends.map(({ end }) => end?.code)).toEqual([
      "kube.expired",
      "kube.throttled",
      "kube.server-error",
      "kube.server-error",
    ]);
    for (const { events, resourceVersion } of ends) {
      expect(events).toHaveLength(1);
      expect(resourceVersion).toBe("1");
    }
  });

  test("an error that asks for a pause is heard", () => {
    expect(read(error(429, { details: { retryAfterSeconds: 7 } })).end?.retryAfterMs).toBe(7000);
  });

  // A timer of more than 24 days fires at once.
  test.each([1e9, 1e300])("a pause of %d s is heard as ten minutes", (seconds) => {
    expect(read(error(429, { details: { retryAfterSeconds: seconds } })).end?.retryAfterMs).toBe(600_000);
  });

  test.each([-1, 0, "7"])("a pause of %j is none", (seconds) => {
    expect(read(error(429, { details: { retryAfterSeconds: seconds } })).end?.retryAfterMs).toBeUndefined();
  });

  test("what the server said about an unreadable line is not quoted: it may be content", () => {
    expect(read("c2VjcmV0\n").end?.message).not.toContain("c2VjcmV0");
  });

  test("a line without an end ends the watch before it fills the memory", () => {
    const watch = reader();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const first = watch.read(Buffer.concat([Buffer.from(line("ADDED", "a", "1")), chunk]));
    expect(first).toMatchObject({ events: [{ object: "a" }], resourceVersion: "1", end: undefined });
    let read = 1;
    for (; read < 100 && watch.read(chunk).end === undefined; read += 1);
    expect(read).toBe(8);
  });
});
