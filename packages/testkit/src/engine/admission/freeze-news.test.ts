import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { followFreezes, type RecordedFreezes } from "@fleet-reloader/engine/admission/freeze-news";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock, settled } from "../../memory/manual-clock.ts";
import { MemoryFreezes } from "../../memory/memory-freezes.ts";

const release: Freeze = { scope: { cluster: "prod", namespace: "shop" }, reason: "release", by: "ann" };

/** What was told, kept in memory. */
function toldFreezes() {
  let before: readonly Freeze[] = [];
  const told: RecordedFreezes & { why: string | undefined } = {
    why: undefined,
    async unreadable(why) {
      told.why = why;
    },
    async replace(now) {
      const come = now.filter((one) => !before.includes(one));
      const gone = before.filter((one) => !now.includes(one));
      before = now;
      return { come, gone };
    },
  };
  return told;
}

async function setUp() {
  const clock = new ManualClock();
  const freezes = new MemoryFreezes();
  const records: HistoryRecord[] = [];
  const stop = new AbortController();
  const history = { append: (more: readonly HistoryRecord[]) => void records.push(...more) };
  const told = toldFreezes();
  const options = { clock, freezes, history, log: new CollectedLog(), told };
  const running = followFreezes(options, stop.signal);
  await settled();
  return {
    ...{ clock, freezes, records, told },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test("the history is told once who froze what and why, and once that it was lifted", async () => {
  await using world = await setUp();
  world.freezes.freezes = [release];
  await world.clock.advance(20_000);
  world.freezes.freezes = [];
  await world.clock.advance(20_000);
  expect(world.records).toMatchObject([
    {
      type: "operator",
      action: "freeze",
      by: "ann",
      target: "cluster prod, namespace shop",
      scope: { cluster: "prod", namespace: "shop" },
      note: "release",
    },
    { type: "operator", action: "unfreeze", by: "", target: "cluster prod, namespace shop", note: "release" },
  ]);
});

test("a freeze that is declared again is recorded as it is now, and not as lifted", async () => {
  await using world = await setUp();
  world.freezes.freezes = [release];
  await world.clock.advance(5000);
  const untilMs = world.clock.now() + 7_200_000;
  const [ending, byBob] = [
    { ...release, untilMs },
    { ...release, by: "bob" },
  ];
  world.freezes.freezes = [ending];
  await world.clock.advance(5000);
  world.freezes.freezes = [ending, byBob];
  await world.clock.advance(5000);
  world.freezes.freezes = [byBob];
  await world.clock.advance(5000);
  const story = () => world.records.map((one) => one.type === "operator" && `${one.action} ${one.by}`);
  expect(story()).toEqual(["freeze ann", "freeze ann", "freeze bob"]);
  expect(world.records[1]).toMatchObject({ note: `release, until ${new Date(untilMs).toISOString()}` });
  world.freezes.freezes = [{ ...release, scope: {} }];
  await world.clock.advance(5000);
  expect(story().slice(3)).toEqual(["unfreeze ", "freeze ann"]);
});

test("a freeze that is over is recorded as lifted, though its document still has it", async () => {
  await using world = await setUp();
  const untilMs = world.clock.now() + 60_000;
  world.freezes.freezes = [{ ...release, untilMs }];
  await world.clock.advance(58_000);
  const story = () => world.records.map((one) => one.type === "operator" && `${one.action} at ${one.time}`);
  const [frozen] = story();
  expect(story()).toEqual([expect.stringContaining("freeze at ")]);
  await world.clock.advance(30_000);
  expect(story()).toEqual([frozen, `unfreeze at ${new Date(untilMs).toISOString()}`]);
  // Declared again: it is another freeze.
  world.freezes.freezes = [{ ...release, untilMs: world.clock.now() + 60_000 }];
  await world.clock.advance(10_000);
  expect(world.records.slice(2)).toMatchObject([{ action: "freeze", by: "ann" }]);
});

test("whoever stops while Redis is away does not wait for it", async () => {
  const never = new Promise<never>(() => undefined);
  const stop = new AbortController();
  const parts = { clock: new ManualClock(), freezes: new MemoryFreezes(), log: new CollectedLog() };
  const history = { append: () => undefined };
  const told: RecordedFreezes = { replace: () => never, unreadable: () => never };
  const running = followFreezes({ ...parts, history, told }, stop.signal);
  await settled();
  stop.abort();
  await running;
});

test("a document that cannot be read lifts nothing and is told", async () => {
  await using world = await setUp();
  world.freezes.freezes = [release];
  await world.clock.advance(5000);
  world.freezes.unreadable = "entry 1: no reason";
  await world.clock.advance(5000);
  expect(world.told.why).toBe("entry 1: no reason");
  world.freezes.unreadable = undefined;
  await world.clock.advance(5000);
  expect(world.records.map((record) => record.type === "operator" && record.action)).toEqual(["freeze"]);
});
