import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { engagedCluster } from "../fixture/engaged-cluster.ts";
import { watchingOf } from "../fixture/watching-of.ts";

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
  const watching = watchingOf({
    clock: {
      ...systemClock,
      sleep: (ms, signal) => (ms === lookEveryMs && !isBroken ? look.promise : systemClock.sleep(ms, signal)),
    },
    client,
    log,
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
