import { entryOf, namesForTest, versionOf } from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { startMasterService } from "../fixture/master-service.ts";
import { RedisReferenceIndex } from "./redis-reference-index.ts";

const api = entryOf("api", { sources: ["ConfigMap/ns/app"] });
const { ref } = versionOf("app");

/** An index on a master with a replica. `failOver` sends its next command to the replica, which has taken over. */
async function startReplicatedIndex() {
  const [master, replica] = await Promise.all([startRedis(), startRedis()]);
  const service = await startMasterService(master.port);
  const [client, admin] = [service.url, replica.url].map(
    (url) => new RedisClient(redisAddress(url), new CollectedLog()),
  ) as [RedisClient, RedisClient];
  const keys = new Keys("failover", 1);
  const index = new RedisReferenceIndex({
    client,
    keys,
    cluster: "c1",
    clock: wallClock,
    names: namesForTest,
  });
  await index.open();
  await index.put([api]);
  await index.markHandled([versionOf("app", "1")]);
  await admin.connection.call("REPLICAOF", "127.0.0.1", String(master.port));
  const handled = keys.cluster("c1").handled("ConfigMap");
  await until("it is replicated", async () => (await admin.connection.hlen(handled)) === 1);
  return {
    index,
    async failOver() {
      await admin.connection.call("REPLICAOF", "NO", "ONE");
      service.leadTo(replica.port);
      client.connection.disconnect(true);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close(), admin.close()]);
      await Promise.all([service, master, replica].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

// The requests that are in the queue by then may be lost. ioredis sends unanswered commands again.
test.each<
  [string, (index: RedisReferenceIndex) => Promise<void>, (index: RedisReferenceIndex) => Promise<unknown>]
>([
  [
    "a changed source",
    (index) => index.markHandled([versionOf("app", "2")]),
    async (index) => (await index.findChanged([versionOf("app", "2")])).map(({ source }) => source.ref),
  ],
  ["a deleted source", (index) => index.forget([ref]), (index) => index.handledSources("ConfigMap", "ns")],
  [
    "an entry",
    (index) => index.markPublished([api.workload]),
    async (index) => (await index.put([api])).map(() => ref),
  ],
])("%s whose checkpoint met a failover is published again", async (_, mark, published) => {
  await using bed = await startReplicatedIndex();
  await bed.failOver();
  await expect(mark(bed.index)).rejects.toMatchObject({ code: "redis.state-lost" });
  await bed.index.open();
  expect(await published(bed.index)).toEqual([ref]);
});
