import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { createGivenClusters } from "../registration/given.ts";
import { Fleet } from "./fleet.ts";

/** Time until failed work restarts. */
const restartMs = 5000;

test.each([
  ["fails", () => Promise.reject(new Error("broken"))],
  ["ends by itself", () => Promise.resolve()],
])("a cluster whose work %s is not ready until the work has begun again", async (_, breaks) => {
  await using cluster = await startSimCluster({ controllers: false });
  const stop = new AbortController();
  const log = new CollectedLog();
  const restart = Promise.withResolvers<void>();
  const fleet = new Fleet({
    ...{ log, userAgent: "test", random: () => 0, meter: new CountingMeter(), rights: () => [] },
    providers: [createGivenClusters([targetOf(cluster.kubeconfig())])],
    clock: {
      ...{ now: systemClock.now, monotonic: systemClock.monotonic },
      sleep: (ms, signal) => (ms === restartMs ? restart.promise : systemClock.sleep(ms, signal)),
    },
  });
  let begun = 0;
  const running = fleet.run(stop.signal, async (_engaged, signal) => {
    begun += 1;
    if (begun === 1) return await breaks();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  await until("the work has begun", () => begun === 1);
  await until("it is told", () =>
    fleet.notEngaged.some((line) =>
      line.endsWith(": the work on it failed (engine.invariant); it is about to begin again"),
    ),
  );
  expect(log.messages("error")).toContain("work on a cluster failed");
  restart.resolve();
  await until("it is ready", () => fleet.notEngaged.length === 0);
  expect(begun).toBe(2);
  stop.abort();
  await running;
});
