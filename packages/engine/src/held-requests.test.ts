import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { type HeldRequest, isOver, watchHolds } from "./held-requests.ts";

const held: HeldRequest = {
  id: "7",
  request: { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } },
  reason: "Frozen",
  againAtMs: 1000,
};

test("a hold is over at its end, or when somebody knows it, or else when its time has come", async () => {
  expect(await isOver({ ...held, untilMs: 5000 }, 5000, async () => true)).toBe(true);
  expect(await isOver({ ...held, untilMs: 5000 }, 4999, async () => true)).toBe(false);
  expect(await isOver(held, 0, async () => false)).toBe(true);
  expect(await isOver(held, 9999, async () => true)).toBe(false);
  expect(await isOver(held, 999, async () => undefined)).toBe(false);
  expect(await isOver(held, 1000)).toBe(true);
});

test("holds are watched every second, also after Redis was away, until the end", async () => {
  const clock = new ManualClock();
  const lifetime = new AbortController();
  const released: string[] = [];
  let asked = 0;
  const watched = watchHolds(
    {
      clock,
      log: new CollectedLog(),
      isStillHeld: async () => false,
      held: {
        async list() {
          asked += 1;
          if (asked === 1) throw new Error("away");
          return asked === 2 ? [held] : [];
        },
        async release(over) {
          released.push(...over.map(({ id }) => id));
        },
      },
    },
    lifetime.signal,
  );
  await clock.advance(1000);
  expect(released).toEqual([]);
  await clock.advance(1000);
  expect(released).toEqual(["7"]);
  lifetime.abort();
  await watched;
  await clock.advance(5000);
  expect(asked).toBe(2);
});
