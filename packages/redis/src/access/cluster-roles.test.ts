import { atOnce, change, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { Cluster } from "ioredis";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { startQueue } from "../fixture/queue-bed.ts";
import { HistoryReader } from "../history/history-reader.ts";
import { redisAclRules } from "./redis-roles.ts";

test("a Redis Cluster denies nothing to users with the same rules", async () => {
  await using redis = await startRedisCluster();
  const admin = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const { connection } = admin;
  await connection.ping();
  const nodes = connection instanceof Cluster ? connection.nodes("master") : [];
  expect(nodes).toHaveLength(3);
  for (const node of nodes)
    for (const role of ["watcher", "worker"] as const)
      await node.acl("SETUSER", role, "on", `>${role}`, ...redisAclRules(role));
  const urlOf = (role: string) => redis.url.replace("://", `://${role}:${role}@`);
  const workerUrl = urlOf("worker");
  await using bed = await startQueue(urlOf("watcher"), "fleet-reloader", { shards: 4, workerUrl });
  const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
  const clusters = Array.from({ length: 12 }, (_, at) => `cluster-${at}`);
  const window = { quietPeriodMs: 100, maxWaitMs: 1000 };
  await bed.queue.add(
    clusters.flatMap((cluster) =>
      [atOnce("api"), change("web", window)].map(({ request, ...rest }) => ({
        ...rest,
        request: { ...request, cluster },
      })),
    ),
  );
  await bed.until("all ran", () => runs.length === 2 * clusters.length);
  const reader = new HistoryReader(bed);
  for await (const line of reader.read({ since: { ms: 0 }, limit: 10 })) expect(line).toBeUndefined();
  for (const node of nodes) expect(await node.acl("LOG", 10)).toEqual([]);
  await admin.close();
});
