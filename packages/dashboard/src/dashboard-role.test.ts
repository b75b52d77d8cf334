import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { HistoryProjection } from "@fleet-reloader/redis/overview/history-projection";
import { RedisFleetOverview } from "@fleet-reloader/redis/overview/redis-fleet-overview";
import { RedisFreshness } from "@fleet-reloader/redis/overview/redis-freshness";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { atOnce, change } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { startServedFleet } from "./fixture/served-fleet.ts";

const keys = new Keys("fleet-reloader", 2);

/** Opens a queue and the other dashboard data over the connection of one Redis user. */
async function openAs(url: string, isGuest: boolean) {
  const client = new RedisClient(redisAddress(url), new CollectedLog());
  const clock = new RedisClock({ client, keys, local: systemClock });
  await clock.read();
  const queue = new BullWorkqueue({ client, keys, clock, isGuest });
  return {
    client,
    clock,
    queue,
    async [Symbol.asyncDispose]() {
      await queue.close();
      await client.close();
    },
  };
}

test("board, history and API are shown to a user of Redis that may change nothing", async () => {
  await using redis = await startRedisOfRoles();
  await using watcher = await openAs(redis.urlOf("watcher"), false);
  await new RedisClusterList({ client: watcher.client, keys }).put([]);
  const added = [atOnce("api"), change("web")].flatMap(({ request, ...rest }) =>
    ["c1", "c2", "c3", "c4"].map((cluster) => ({ ...rest, request: { ...request, cluster } })),
  );
  await watcher.queue.add(added);
  await using guest = await openAs(redis.urlOf("dashboard"), true);
  const { client, clock, queue } = guest;
  const reader = new HistoryReader({ client, keys });
  using stack = new DisposableStack();
  const records = stack.adopt(new HistoryProjection({ client, keys, reader, clock }), (its) => its.close());
  await using dashboard = await startServedFleet({
    queues: queue.queues,
    reader,
    records,
    overview: new RedisFleetOverview({ client, keys, queue, clock }),
  });
  const freshness = new RedisFreshness({ client, keys, queue });
  await freshness.historyEnd();
  await freshness.versions();
  const states = ["latest", "waiting", "prioritized", "delayed", "active", "completed", "failed"];
  const one = "/queues/api/queues/shard%200%20reconcile";
  const [entry] = (await watcher.queue.queues[0]?.getJobs()) ?? [];
  const paths = [
    ...states.map((state) => `/queues/api/queues?activeQueue=shard%200%20reconcile&status=${state}&page=1`),
    ...["metrics", "default-job-options", "workers", "rate-limit"].map((part) => `${one}/${part}`),
    ...["", "/logs", "/flow"].map((part) => `${one}/${entry?.id}${part}`),
    ...["/queues", "/queues/api/redis/stats", "/history?since=1h", "/api/v1/status"],
  ];
  for (const path of paths) {
    // On a busy machine a silent connection is replaced, and meanwhile nothing can be read.
    const answer = await until(`Redis is read for ${path}`, async () => {
      const now = await dashboard.ask(path);
      return now.status === 503 ? undefined : now;
    });
    expect({ path, ...answer }).toMatchObject({ path, status: 200 });
  }
  const { body } = await dashboard.ask("/queues/api/queues");
  expect(body).toContain('"shard 1 reconcile"');
  expect(await redis.denied()).toEqual([]);
});
