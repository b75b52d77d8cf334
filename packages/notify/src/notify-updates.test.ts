import { Fault } from "@fleet-reloader/domain/fault";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { describe, expect, test } from "vitest";
import { notifyUpdates } from "./notify-updates.ts";

/** Reports some updates at once. Returns their results, in order. */
function told(count: number, post: () => Promise<void>) {
  const [clock, log, meter] = [new ManualClock(), new CollectedLog(), new CountingMeter()];
  const receiver = { post, close: async () => undefined };
  const updates = notifyUpdates({ receiver, clock, log, meter, random: () => 0.5 });
  const outcomes: boolean[] = [];
  for (let i = 0; i < count; i += 1)
    void updates.tell().then((isTold) => {
      outcomes.push(isTold);
    });
  return { clock, updates, outcomes };
}

const away = async () => {
  throw new Fault("notify.unavailable", "the receiver answered 503");
};

describe("an update is told", () => {
  test("once its call is answered, also where one call stands for many", async () => {
    let calls = 0;
    const { clock, outcomes } = told(700, async () => {
      calls += 1;
    });
    await settled();
    expect(outcomes).toHaveLength(calls);
    await clock.advance(20_000);
    expect(calls).toBeLessThan(700);
    expect(outcomes).toEqual(Array(700).fill(true));
  });

  test("when the receiver refuses it for good", async () => {
    const { outcomes } = told(1, async () => {
      throw new Fault("notify.rejected", "the receiver answered 404");
    });
    await settled();
    expect(outcomes).toEqual([true]);
  });
});

describe("an update is not told", () => {
  test("when its receiver stays away", async () => {
    const { clock, outcomes } = told(1, away);
    await clock.advance(60_000);
    expect(outcomes).toEqual([false]);
  });

  test("when the process ends first", async () => {
    const { updates, outcomes } = told(2, away);
    await updates.stop(2000);
    await settled();
    expect(outcomes).not.toContain(true);
  });
});
