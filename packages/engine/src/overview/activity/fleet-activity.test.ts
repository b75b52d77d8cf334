import { describe, expect, test } from "vitest";
import type { HistoryRecord } from "../../history/history.ts";
import { fleetActivity } from "./fleet-activity.ts";

const noon = Date.parse("2026-07-01T12:00:00Z");
const timeOf = (second: number) => new Date(noon + second * 1000).toISOString();
const source = { kind: "Secret", namespace: "shop", name: "db", change: "nova/db@7" } as const;

function about(second: number, name = "api") {
  const workload = { kind: "Deployment", namespace: "shop", name };
  const cluster = { id: "uid-nova", name: "nova" };
  return { v: 1, time: timeOf(second), cluster, workload, sources: [source] } as const;
}
function changed(second: number): HistoryRecord {
  const { cluster, time, v } = about(second + 1);
  const { change, ...ref } = source;
  const actor = { manager: "external-secrets", operation: "Update", time: timeOf(second) } as const;
  return { v, time, cluster, type: "change", change, source: ref, resourceVersion: "7", actor };
}
const rolled = (second: number, name?: string): HistoryRecord => ({
  ...about(second, name),
  type: "action",
  action: "rolled",
});
const held = (second: number, name?: string): HistoryRecord => ({
  ...about(second, name),
  type: "decision",
  verdict: "held",
  reason: "Frozen",
});
const ended = (second: number, result: "healthy" | "failed" | "stalled", name?: string): HistoryRecord => ({
  ...about(second, name),
  type: "outcome",
  result,
  reason: "Available",
  seconds: 1,
});
const during = (seconds: number) => ({ fromMs: noon, toMs: noon + seconds * 1000 });
const quiet = { rolled: 0, failed: 0, medianMs: undefined, slowestMs: undefined, oldestMs: undefined };

describe("slots", () => {
  test.each([
    [1, 1],
    [60, 1],
    [60.5, 1],
    [61, 2],
    [24 * 60, 30],
    [30 * 24 * 60, 720],
    [61 * 24 * 60, 2 * 24 * 60],
  ])("of %f minutes are %i minutes long", (minutes, length) => {
    const { slotMs, slots } = fleetActivity([], during(minutes * 60));
    expect(slotMs).toBe(length * 60_000);
    expect(slots.length).toBeLessThanOrEqual(62);
  });

  test("follow each other without a gap, from before the start to the end", () => {
    const { slots } = fleetActivity([], { fromMs: noon + 30_000, toMs: noon + 150_000 });
    expect(slots).toEqual([0, 60, 120].map((second) => ({ fromMs: noon + second * 1000, ...quiet })));
  });
});

test("rolls, failures and the way from the write to the roll count where they happened", () => {
  const records = [
    changed(0),
    rolled(2),
    rolled(3, "web"),
    rolled(9, "job"),
    ended(10, "healthy"),
    ended(70, "failed", "web"),
    ended(71, "stalled", "job"),
  ];
  const { slots } = fleetActivity(records, during(119));
  expect(slots).toEqual([
    { fromMs: noon, rolled: 3, failed: 0, medianMs: 3000, slowestMs: 9000, oldestMs: 57_000 },
    { ...quiet, fromMs: noon + 60_000, failed: 2 },
  ]);
});

test("the age grows while something is on hold, and ends with its rollout", () => {
  const records = [held(30), held(90), rolled(150), ended(190, "healthy")];
  const { slots } = fleetActivity(records, during(200));
  expect(slots.map(({ oldestMs }) => oldestMs)).toEqual([30_000, 90_000, 150_000, undefined]);
});

test("a roll without a dated write has no latency, and no latency is below zero", () => {
  const { slots } = fleetActivity([rolled(1)], during(30));
  expect(slots[0]).toMatchObject({ rolled: 1, medianMs: undefined });
  const [slot] = fleetActivity([changed(3), rolled(2)], during(30)).slots;
  expect(slot).toMatchObject({ medianMs: 0, slowestMs: 0 });
});
