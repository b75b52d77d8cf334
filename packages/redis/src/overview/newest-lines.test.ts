import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KeptMax, NewestLines } from "./newest-lines.ts";
import type { PlacedRecord } from "./placed-record.ts";

function atMost(records: number, bytes = Number.POSITIVE_INFINITY): KeptMax {
  return { records, bytes };
}

function line(ms: number, shard = 0, number = 0): PlacedRecord {
  const target = `${ms}-${number}-${shard}`;
  const record: HistoryRecord = { v: 1, type: "operator", time: "", action: "retry", by: "ann", target };
  return { ms, number, shard, record, bytes: 1 };
}

function idsSince(lines: NewestLines, ms = 0): readonly string[] {
  return [...lines.since(ms)].map((record) => (record.type === "operator" ? record.target : record.type));
}

describe("order", () => {
  test("what comes late from another stream lies where its time is", () => {
    const lines = new NewestLines(atMost(10), [line(3), line(1)]);
    lines.add([line(5), line(4)]);
    lines.add([line(2, 1), line(4, 1)]);
    expect(idsSince(lines)).toEqual(["1-0-0", "2-0-1", "3-0-0", "4-0-0", "4-0-1", "5-0-0"]);
  });

  test("of one millisecond by number, and of one id by stream", () => {
    const lines = new NewestLines(atMost(10), [line(1, 1), line(1, 0, 2), line(1, 0, 1), line(1)]);
    expect(idsSince(lines)).toEqual(["1-0-0", "1-0-1", "1-1-0", "1-2-0"]);
  });

  test("a time begins with its whole millisecond", () => {
    const lines = new NewestLines(atMost(10), [line(1), line(2), line(2, 0, 1), line(3)]);
    expect(idsSince(lines, 2)).toEqual(["2-0-0", "2-1-0", "3-0-0"]);
  });
});

describe("bound", () => {
  test("the oldest go, and the time from when on nothing is missing moves on", () => {
    const lines = new NewestLines(atMost(2), [line(1), line(2)]);
    expect(lines.covers(0)).toBe(true);
    lines.add([line(3), line(4, 1)]);
    expect(idsSince(lines)).toEqual(["3-0-0", "4-0-1"]);
    // A record of this millisecond may have been removed.
    expect([lines.covers(2), lines.covers(3), lines.covers(4)]).toEqual([false, false, true]);
  });

  test("the oldest go, too, when the lines take more memory than they may", () => {
    const lines = new NewestLines(atMost(10, 4), [line(1), line(2), { ...line(3), bytes: 3 }]);
    expect([idsSince(lines), lines.covers(2), lines.covers(3)]).toEqual([["2-0-0", "3-0-0"], false, true]);
    lines.forget(0);
    lines.add([line(5), line(6, 1), line(7)]);
    expect(idsSince(lines)).toEqual(["5-0-0", "6-0-1", "7-0-0"]);
    lines.add([{ ...line(8), bytes: 9 }]);
    expect([idsSince(lines), lines.covers(8)]).toEqual([["8-0-0"], false]);
  });

  test("what is older than the beginning is not taken in: others of its time are missing", () => {
    const lines = new NewestLines(atMost(10), [line(1), line(5)], { ms: 4, number: 0 });
    lines.add([line(2, 1), line(6, 1)]);
    expect(idsSince(lines)).toEqual(["5-0-0", "6-0-1"]);
    expect([lines.covers(4), lines.covers(5)]).toEqual([false, true]);
  });
});

describe("what the streams have no more", () => {
  test("a trimmed stream loses its oldest, and another stream none", () => {
    const lines = new NewestLines(atMost(10), [line(1), line(2, 1), line(3), line(4)]);
    lines.trim(0, { ms: 4, number: 0 });
    expect(idsSince(lines)).toEqual(["2-0-1", "4-0-0"]);
    lines.trim(1, { ms: 9, number: 0 });
    expect(idsSince(lines)).toEqual(["4-0-0"]);
    // Nothing is missing: the stream does not have it either.
    expect(lines.covers(0)).toBe(true);
  });

  test("a stream that is another one now has nothing left of before", () => {
    const lines = new NewestLines(atMost(10), [line(1), line(2, 1), line(3)]);
    lines.forget(0);
    expect(idsSince(lines)).toEqual(["2-0-1"]);
  });
});

test("in whichever parts and order records come, the newest of all are there", () => {
  const place = fc.record({ ms: fc.integer({ min: 1, max: 50 }), shard: fc.nat(2), number: fc.nat(2) });
  const places = fc.uniqueArray(place, { selector: (one) => JSON.stringify(one), maxLength: 60 });
  fc.assert(
    fc.property(places, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 7 }), (all, max, part) => {
      const records = all.map(({ ms, number, shard }) => line(ms, shard, number));
      const lines = new NewestLines(atMost(max), records.slice(0, part));
      for (let at = part; at < records.length; at += part) lines.add(records.slice(at, at + part));
      const whole = new NewestLines(atMost(records.length), records);
      const expected = idsSince(whole).slice(-max);
      // A late record that is older than the beginning stays out. So some may be missing, but the complete part never has other records.
      const from = (lines.from?.ms ?? 0) + 1;
      expect(idsSince(lines, from)).toEqual(idsSince(whole, from));
      expect(lines.count).toBeLessThanOrEqual(max);
      expect(expected).toEqual(expect.arrayContaining([...idsSince(lines, from)]));
    }),
  );
});
