import { type FreezeReadings, readByWatchers } from "@fleet-reloader/engine/act/freeze-reading";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";

const freeze = { scope: {}, reason: "incident 4711", by: "ann" };

const silence = new Promise<never>(() => undefined);

/** Redis answers until it goes away. */
const silentReadings: Readonly<Record<string, FreezeReadings>> = {
  "what watchers say": { said: () => silence, unreadable: async () => undefined },
  "why they cannot read": { said: async () => [], unreadable: () => silence },
};

// Somebody in an incident would sit before a command that never ends.
test.each(Object.keys(silentReadings))("the wait for watchers ends when Redis is asked %s", async (asked) => {
  const readings = silentReadings[asked] ?? expect.fail();
  const clock = new ManualClock();
  const ends: unknown[] = [];
  const { signal } = new AbortController();
  const reading = readByWatchers(freeze, { readings, clock }, signal).catch((error: unknown) =>
    ends.push(error),
  );
  await clock.advance(19_000);
  expect(ends).toEqual([]);
  await clock.advance(4000);
  expect(ends).toMatchObject([{ code: "redis.unavailable", message: expect.stringContaining("does not") }]);
  await reading;
  expect(clock.sleeping).toBe(0);
});
