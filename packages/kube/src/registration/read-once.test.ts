import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { readRegistrations } from "./read-once.ts";
import type { ClusterProvider, Registration } from "./registration.ts";

const paused: Registration = {
  id: "test#a",
  name: "a",
  labels: {},
  access: { type: "paused", why: "somebody asked for it" },
};

/** A provider that reports the given registrations, and notes that it has ended. */
function providerOf(told: readonly Registration[] | undefined) {
  const state = { hasEnded: false };
  const provider: ClusterProvider = {
    async run(signal, onChange) {
      if (told !== undefined) onChange(told);
      await untilAborted(signal);
      state.hasEnded = true;
    },
    notReady: ["Secrets of test are blocked (forbidden)"],
  };
  return { provider, state };
}

test("a provider is stopped with its first answer", async () => {
  const { provider, state } = providerOf([paused]);
  const clock = new ManualClock();
  const read = await readRegistrations(provider, { clock, patienceMs: 5000 }, new AbortController().signal);
  expect(read).toEqual({ registrations: [paused] });
  expect(state.hasEnded).toBe(true);
});

test("a provider that is not ready in time says what keeps it, and is stopped", async () => {
  const { provider, state } = providerOf(undefined);
  const clock = new ManualClock();
  const reading = readRegistrations(provider, { clock, patienceMs: 5000 }, new AbortController().signal);
  await clock.advance(5000);
  expect(await reading).toEqual({ problems: ["Secrets of test are blocked (forbidden)"] });
  expect(state.hasEnded).toBe(true);
});

test("whoever aborts a read waits for nothing", async () => {
  const { provider, state } = providerOf(undefined);
  const asker = new AbortController();
  const reading = readRegistrations(provider, { clock: new ManualClock(), patienceMs: 5000 }, asker.signal);
  asker.abort();
  await expect(reading).rejects.toThrow();
  expect(state.hasEnded).toBe(true);
});
