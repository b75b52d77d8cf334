import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { ruleFields } from "@fleet-reloader/runtime/config/fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { engagedCluster } from "../fixture/engaged-cluster.ts";
import { Watching } from "./watching.ts";

/** How often slow rollouts are checked. */
const lookEveryMs = 5000;

/** Throws on the log line of a rollout check, like a bug there. */
class BrokenLog extends CollectedLog {
  override debug(fields: object, message: string): void {
    if (message === "rollouts could not be looked at") throw new Error("broken");
    super.debug(fields, message);
  }

  override child(): BrokenLog {
    return this;
  }
}

test("when the look at rollouts breaks, the watches end before the failure is told", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using redis = await startRedis();
  const log = new BrokenLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  const look = Promise.withResolvers<void>();
  let isBroken = false;
  const watching = new Watching({
    clock: {
      ...systemClock,
      sleep: (ms, signal) => (ms === lookEveryMs && !isBroken ? look.promise : systemClock.sleep(ms, signal)),
    },
    client,
    log,
    keys: new Keys("watching"),
    meter: new CountingMeter(),
    settings: settingsOf(loadConfig(ruleFields, { args: [], env: {} })),
    queue: { add: async () => undefined, waits: async () => false },
    givenScope: { names: undefined, selector: undefined },
    names: new NameMatches({ compile: createPatternCompiler(), clock: systemClock }),
    random: () => 0.5,
    auditIntervalMs: 0,
    eventSource: "watch",
    webhookMode: undefined,
    shown: undefined,
  });
  const { connection, engaged, synced } = engagedCluster(cluster.kubeconfig());
  const stop = new AbortController();
  const ended = expect(watching.watch(engaged, stop.signal)).rejects.toThrow("broken");
  await synced;
  await until("it watches", () => cluster.openWatches > 0);
  isBroken = true;
  look.reject(new Error("no answer"));
  await ended;
  await until("nothing watches on", () => cluster.openWatches === 0);
  stop.abort();
  await connection.close();
  await client.close();
});
