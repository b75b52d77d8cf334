import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { describe, expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import type { ClusterProvider, Registration } from "../registration/registration.ts";
import { Fleet } from "./fleet.ts";

type OnChange = (registrations: readonly Registration[]) => void;

/** A provider that reports what the test says, when the test says it. */
function startFleet(run?: ClusterProvider["run"]) {
  const stop = new AbortController();
  const asked = Promise.withResolvers<OnChange>();
  const ended = Promise.withResolvers<void>();
  stop.signal.addEventListener("abort", () => ended.resolve());
  const waits: ClusterProvider["run"] = (_, onChange) => {
    asked.resolve(onChange);
    return ended.promise;
  };
  const fleet = new Fleet({
    providers: [{ run: run ?? waits, notReady: [] }],
    ...{ userAgent: "test", clock: systemClock, random: () => 0, log: new CollectedLog() },
    ...{ meter: new CountingMeter(), rights: () => [] },
  });
  return { fleet, stop, asked: asked.promise, run: () => fleet.run(stop.signal, async () => undefined) };
}

const unknown = ["clusters: the providers have not listed them yet"];

describe("a fleet", () => {
  test("is not ready before its providers have reported their clusters", async () => {
    const { fleet, stop, asked, run } = startFleet();
    expect(fleet.notEngaged).toEqual(unknown);
    const running = run();
    expect(fleet.notEngaged).toEqual(unknown);
    const tell = await asked;
    expect(fleet.notEngaged).toEqual(unknown);
    tell([]);
    expect(fleet.notEngaged).toEqual([]);
    stop.abort();
    await running;
  });

  test("whose provider ends by itself ends with a fault", async () => {
    const { run } = startFleet(async () => undefined);
    await expect(run()).rejects.toMatchObject({
      code: "engine.invariant",
      message: "a provider of clusters ended by itself",
    });
  });
});
