import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisOwnership } from "./redis-ownership.ts";

const pace = { beatMs: 50, expiryMs: 60_000, stayMs: 0, graceMs: 100, weighMs: 100 };

/** Owns the given clusters, with a Redis whose `hlen` gives the given answers. */
async function owner(hlen: (hash: string) => Promise<number>) {
  const redis = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  const asked: string[] = [];
  Object.assign(client.connection, {
    hlen: (hash: string) => {
      asked.push(hash);
      return hlen(hash);
    },
  });
  const stop = new AbortController();
  const keys = new Keys("weights");
  const ownership = new RedisOwnership({
    ...{ member: "one", client, keys, log, pace },
    clock: wallClock,
    meter: new CountingMeter(),
    reachOf: () => "reachable",
  });
  const running = [ownership.run(stop.signal)];
  return {
    ...{ asked, log },
    engage: (cluster: string) =>
      void running.push(
        ownership.during(cluster, stop.signal, (owned) => {
          return new Promise((resolve) => owned.addEventListener("abort", () => resolve()));
        }),
      ),
    owns: (cluster: string) => ownership.watcherOf(cluster) === "us",
    record: (cluster: string) => client.connection.hget(`${keys.fleet.root}:owners`, cluster),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      await client.close();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["never answers", () => new Promise<number>(() => undefined)],
  ["fails", () => Promise.reject(new Error("CLUSTERDOWN"))],
])("a member goes on to beat while the weighing of a cluster %s", async (_what, hlen) => {
  await using member = await owner(hlen);
  member.engage("c1");
  await until("it is owned and weighed", () => member.owns("c1") && member.asked.length > 0);
  member.engage("c2");
  await until("a later beat claims another", () => member.owns("c2"));
  expect(member.log.messages("warn")).toEqual([]);
});

test("a cluster is weighed although another cannot be", async () => {
  const isAway = (hash: string) => hash.includes("away");
  await using member = await owner(async (hash) => {
    return isAway(hash) ? await new Promise<number>(() => undefined) : 16_000;
  });
  member.engage("away");
  member.engage("here");
  await until("its weight is told", async () =>
    /^\d+ \d+ 256 one$/.test((await member.record("here")) ?? ""),
  );
  expect(await member.record("away")).toMatch(/^\d+ \d+ 1 one$/);
});
