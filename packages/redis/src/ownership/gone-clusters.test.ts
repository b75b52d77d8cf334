import type { Clock } from "@fleet-reloader/engine/async/clock";
import { entryOf, namesForTest, versionOf } from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisReferenceIndex } from "../index/redis-reference-index.ts";
import { RedisWorkloadRecords } from "../index/redis-workload-records.ts";
import { GoneClusters, isForgotten } from "./gone-clusters.ts";
import { RedisIncumbents } from "./redis-incumbents.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const daySeconds = 24 * 3600;
/** Two entries that share a source, and one with patterns and a window of its own. */
const entries = [
  entryOf("api", { sources: ["ConfigMap/ns/app", "Secret/ns/own"] }),
  entryOf("web", {
    sources: ["ConfigMap/ns/app"],
    patterns: [{ kind: "ConfigMap", item: "a.*" }],
    window: { quietPeriodMs: 1 },
  }),
];
const unending = new AbortController().signal;
let beds = 0;

function setUp(how: { readonly url?: string; readonly shards?: number } = {}) {
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(how.url ?? redis.url), log);
  beds += 1;
  const keys = new Keys(`gone-${beds}`, how.shards);
  const { connection } = client;
  const registered = new Set<string>();
  /** Called before each scan step over the keys of Redis; the first scan looks for clusters without a stored time. */
  const steps: (() => Promise<void>)[] = [];
  const clock: Clock = {
    now: () => wallClock.now(),
    monotonic: () => wallClock.monotonic(),
    sleep: async (ms, signal) => await (steps.shift()?.() ?? wallClock.sleep(ms, signal)),
  };
  const gone = new GoneClusters({
    ...{ client, keys, log, clock, random: () => 0 },
    registered: () => registered,
  });
  const openIndex = async (cluster: string) => {
    const index = new RedisReferenceIndex({ client, keys, cluster, clock: wallClock, names: namesForTest });
    await index.open();
    return index;
  };
  return {
    ...{ client, connection, keys, log, registered, gone, steps, openIndex },
    /** Stores everything of one cluster. */
    async remember(cluster: string) {
      const index = await openIndex(cluster);
      await index.put(entries);
      await index.markHandled([versionOf("app", "1")]);
      const at = { cluster, workload: entryOf("api").workload };
      await new RedisWorkloadRecords({ client, keys, log }).keep(at, "a note", 1);
      await connection.hset(keys.cluster(cluster).rollouts, "w", "{}");
      await connection.zadd(keys.cluster(cluster).leftRollouts, 1, "w");
      await connection.hset(keys.cluster(cluster).told, "s", "{}");
      await new RedisIncumbents({ client, keys }).keep(cluster, `registration of ${cluster}`);
      return index;
    },
    async registeredAgo(cluster: string, days: number) {
      const seconds = Math.floor(Date.now() / 1000) - days * daySeconds;
      await connection.hset(keys.fleet.registered, cluster, seconds);
    },
    /** Scans an hour later, for all processes. */
    async look(signal = unending) {
      await connection.del(keys.fleet.forgetting);
      await gone.look(signal);
    },
    keysOf: async (cluster: string) => {
      const masters = connection instanceof Cluster ? connection.nodes("master") : [connection];
      const all = await Promise.all(masters.map((master) => master.keys(`*:c:${cluster}:*`)));
      return all.flat();
    },
    incumbents: async () => Object.keys(await connection.hgetall(keys.fleet.incumbents)).toSorted(),
    noted: async () => Object.keys(await connection.hgetall(keys.fleet.registered)).toSorted(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function forgetsOne(bed: ReturnType<typeof setUp>) {
  for (const cluster of ["gone", "recent", "here"]) await bed.remember(cluster);
  await bed.registeredAgo("gone", 31);
  await bed.registeredAgo("recent", 29);
  await bed.registeredAgo("here", 31);
  bed.registered.add("here");
  // Its epoch is lost, so only the time protects it.
  await bed.connection.hset(bed.keys.cluster("half").noted, "w", "a note");
  await bed.registeredAgo("half", 29);
  const others = ["recent", "here", "half"];
  const kept = await Promise.all(others.map(bed.keysOf));
  const held = (await bed.keysOf("gone")).length;
  expect(held).toBeGreaterThan(12);
  await bed.look();
  expect(await bed.keysOf("gone")).toEqual([]);
  expect(await Promise.all(others.map(bed.keysOf))).toEqual(kept);
  expect(await isForgotten("gone", bed)).toBe(true);
  expect(await isForgotten("recent", bed)).toBe(false);
  expect(bed.log.lines.filter(({ level }) => level === "info")).toEqual([
    {
      level: "info",
      message: "the data of a cluster that was not registered for 30 days is removed",
      fields: { clusterUid: "gone", keys: held },
    },
  ]);
  await bed.look();
  expect(await bed.incumbents()).toEqual(["here", "recent"]);
  expect(await bed.noted()).toEqual(["half", "here", "recent"]);
  expect(bed.log.messages("info")).toHaveLength(1);
}

describe("a cluster that no registration has led to for 30 days", () => {
  test("is forgotten with all its keys, and no other is", async () => {
    await using bed = setUp();
    await forgetsOne(bed);
  });

  test("also on a Redis Cluster, where each lies in a slot of its own", async () => {
    await using nodes = await startRedisCluster();
    await using bed = setUp({ url: nodes.url, shards: 4 });
    await forgetsOne(bed);
  });

  test("is kept while somebody watches it, whatever the times are", async () => {
    await using bed = setUp();
    await bed.remember("c1");
    await bed.registeredAgo("c1", 31);
    await bed.connection.hset(bed.keys.fleet.owners, "c1", "1 0 1 somebody");
    await bed.look();
    expect(await isForgotten("c1", bed)).toBe(false);
  });

  test("is kept when a registration leads to it again while others are looked for", async () => {
    await using bed = setUp();
    await bed.remember("c1");
    await bed.registeredAgo("c1", 31);
    bed.steps.push(async () => void bed.registered.add("c1"));
    await bed.look();
    expect(await isForgotten("c1", bed)).toBe(false);
  });

  test("is kept for 30 days more where nobody has noted when that was", async () => {
    await using bed = setUp();
    await bed.remember("older");
    await bed.connection.hdel(bed.keys.fleet.incumbents, "older");
    await bed.connection.hset(bed.keys.fleet.incumbents, "left", "its registration");
    await bed.look();
    expect(await bed.noted()).toEqual(["left", "older"]);
    expect(await isForgotten("older", bed)).toBe(false);
  });

  test("is forgotten to the end by the next look, where one was interrupted", async () => {
    await using bed = setUp();
    await bed.remember("gone");
    await bed.registeredAgo("gone", 31);
    const stop = new AbortController();
    bed.steps.push(
      async () => undefined,
      async () => stop.abort(),
    );
    await bed.look(stop.signal);
    expect(await bed.noted()).toEqual(["gone"]);
    expect(bed.log.messages("info")).toHaveLength(1);
    const { root } = bed.keys.cluster("gone");
    const left = [`${root}:dependents:ConfigMap/ns/app`, `${root}:patterns:ns`];
    expect((await bed.keysOf("gone")).toSorted()).toEqual(left);
    await bed.look();
    expect(await bed.keysOf("gone")).toEqual([]);
  });
});

describe("a cluster that comes back", () => {
  test("begins as at its first start", async () => {
    await using bed = setUp();
    await bed.remember("back");
    await bed.registeredAgo("back", 31);
    await bed.look();
    const index = await bed.openIndex("back");
    expect((await index.put(entries)).length).toBe(2);
    const records = new RedisWorkloadRecords(bed);
    const record = await records.read({ cluster: "back", workload: entryOf("api").workload });
    expect(record.appliedText).toBe(undefined);
    expect(await isForgotten("back", bed)).toBe(false);
    bed.registered.add("back");
    await bed.look();
    expect(await isForgotten("back", bed)).toBe(false);
    expect(await bed.incumbents()).toEqual(["back"]);
  });

  test("while it is forgotten is compared anew, and its new life loses nothing", async () => {
    await using bed = setUp();
    const before = await bed.remember("back");
    await bed.registeredAgo("back", 31);
    bed.steps.push(
      async () => undefined,
      async () => {
        await expect(before.verify()).rejects.toMatchObject({ code: "redis.state-lost" });
        const after = await bed.openIndex("back");
        await after.put(entries);
      },
    );
    await bed.look();
    const index = await bed.openIndex("back");
    const [changed] = await index.findChanged([versionOf("app", "2")]);
    expect(changed?.dependents.map(({ workload }) => workload.name).toSorted()).toEqual(["api", "web"]);
  });
});

describe("a cluster of which nothing is left", () => {
  test("keeps its registration when it comes back at the last moment", async () => {
    await using bed = setUp();
    await bed.remember("back");
    await bed.registeredAgo("back", 31);
    await bed.look();
    bed.steps.push(
      async () => undefined,
      async () => void (await bed.connection.hset(bed.keys.fleet.owners, "back", "1 0 1 somebody")),
    );
    await bed.look();
    expect(await bed.incumbents()).toEqual(["back"]);
  });
});

describe("who looks", () => {
  test("is one process in an hour, and none that does not know yet what is registered", async () => {
    await using bed = setUp();
    await bed.remember("gone");
    await bed.registeredAgo("gone", 31);
    const unknowing = new GoneClusters({
      ...{ ...bed, clock: wallClock, random: () => 0 },
      registered: () => undefined,
    });
    await unknowing.look(unending);
    expect(await isForgotten("gone", bed)).toBe(false);
    await bed.connection.set(bed.keys.fleet.forgetting, "another");
    await bed.gone.look(unending);
    expect(await isForgotten("gone", bed)).toBe(false);
    await bed.connection.del(bed.keys.fleet.forgetting);
    await bed.gone.look(unending);
    expect(await isForgotten("gone", bed)).toBe(true);
    expect(await bed.connection.pttl(bed.keys.fleet.forgetting)).toBeGreaterThan(3_000_000);
  });

  test("notes what is registered once an hour", async () => {
    await using bed = setUp();
    bed.registered.add("c1").add("c2");
    await bed.gone.look(unending);
    const first = await bed.connection.hgetall(bed.keys.fleet.registered);
    expect(Object.keys(first).toSorted()).toEqual(["c1", "c2"]);
    const earlier = Number(first.c1) - 1800;
    await bed.connection.hset(bed.keys.fleet.registered, "c1", earlier, "c2", earlier - 1801);
    await bed.gone.look(unending);
    const { c1, c2 } = await bed.connection.hgetall(bed.keys.fleet.registered);
    expect(Number(c1)).toBe(earlier);
    expect(Number(c2)).toBeGreaterThanOrEqual(Number(first.c2));
  });

  test("looks by itself, and ends at once when it is told to", async () => {
    await using bed = setUp();
    bed.registered.add("c1");
    const stop = new AbortController();
    // The first wait is over; the next one would take minutes.
    bed.steps.push(async () => undefined);
    const running = bed.gone.run(stop.signal);
    await until("it has noted what is registered", async () => (await bed.noted()).length === 1);
    stop.abort();
    await running;
  });
});
