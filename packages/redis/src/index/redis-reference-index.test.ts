import { entryOf, namesForTest, versionOf } from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { referenceIndexContract } from "@fleet-reloader/testkit/contracts/index/reference-index-contract";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedisCluster, type TestRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { readShards } from "../connection/shard-guard.ts";
import { RedisReferenceIndex } from "./redis-reference-index.ts";
import { RedisWorkloadRecords } from "./redis-workload-records.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

let indexes = 0;

/** An index with a connection of its own, open. */
async function openIndex(
  at: { readonly prefix?: string; readonly cluster?: string; readonly url?: string } = {},
) {
  const client = new RedisClient(redisAddress(at.url ?? redis.url), new CollectedLog());
  indexes += 1;
  const keys = new Keys(at.prefix ?? `index-${indexes}`, at.url === undefined ? 1 : 4);
  const cluster = at.cluster ?? "c1";
  const index = new RedisReferenceIndex({ client, keys, cluster, clock: wallClock, names: namesForTest });
  await index.open();
  return {
    ...{ index, client, keys, cluster },
    records: new RedisWorkloadRecords({ client, keys, log: new CollectedLog() }),
    lose: async () => void (await client.connection.flushall()),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe("the reference index on a Redis Cluster", () => {
  let nodes: TestRedisCluster;
  beforeAll(async () => {
    nodes = await startRedisCluster();
  });
  afterAll(() => nodes[Symbol.asyncDispose]());

  referenceIndexContract(async () => {
    const bed = await openIndex({ url: nodes.url, cluster: `c${indexes}` });
    const { connection } = bed.client;
    const masters = connection instanceof Cluster ? connection.nodes("master") : [];
    expect(masters).toHaveLength(3);
    return {
      ...bed,
      lose: async () => void (await Promise.all(masters.map((master) => master.flushall()))),
    };
  });

  test("counts as lost when the node it lies on was restarted", async () => {
    await using bed = await openIndex({ url: nodes.url });
    await bed.index.put([entryOf("api")]);
    const before = bed.client.connections;
    const { connection } = bed.client;
    const slot = await connection.cluster("KEYSLOT", bed.keys.cluster(bed.cluster).epoch);
    const home = connection instanceof Cluster ? connection.slots[slot]?.[0] : undefined;
    await nodes.nodes.find(({ port }) => home === `127.0.0.1:${port}`)?.restart();
    await until("it is noticed", () => bed.client.connections > before);
    await expect(bed.index.verify()).rejects.toMatchObject({ code: "redis.state-lost" });
    await until("it is open again", async () => {
      await bed.index.open();
      await bed.index.verify();
      return true;
    });
  });
});

describe("the reference index in Redis", () => {
  referenceIndexContract(() => openIndex());

  test("is one for all processes of a cluster, and none of another's", async () => {
    await using one = await openIndex({ prefix: "shared" });
    await using same = await openIndex({ prefix: "shared" });
    await using other = await openIndex({ prefix: "shared", cluster: "c2" });
    await one.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
    await one.index.markHandled([versionOf("app", "7")]);
    expect(await same.index.findChanged([versionOf("app", "7")])).toEqual([]);
    expect(await same.index.findChanged([versionOf("app", "8")])).toHaveLength(1);
    expect(await other.index.findChanged([versionOf("app", "8")])).toEqual([]);
  });

  // A wiped Redis lost this besides the index, and nobody else writes it again.
  test("tells with each opening how many shards there are", async () => {
    await using bed = await openIndex({ prefix: "wiped" });
    const { client } = bed;
    const keys = new Keys("wiped", 4);
    const index = new RedisReferenceIndex({ ...bed, keys, clock: wallClock, names: namesForTest });
    expect(await readShards({ client, keys })).toBe(1);
    await bed.lose();
    expect(await readShards({ client, keys })).toBeUndefined();
    await index.open();
    expect(await readShards({ client, keys })).toBe(4);
    await bed.index.open();
    expect(await readShards({ client, keys })).toBe(4);
  });

  test("holds names and versions only, under keys of one slot", async () => {
    await using bed = await openIndex({ prefix: "slot" });
    const pattern = { kind: "Secret", item: "a.*" } as const;
    await bed.index.put([
      entryOf("api", { sources: ["ConfigMap/ns/app"], patterns: [pattern], window: { quietPeriodMs: 1 } }),
    ]);
    await bed.index.markHandled([versionOf("app", "7")]);
    const all = await bed.client.connection.keys("*slot*");
    const keys = all.filter((key) => key !== bed.keys.fleet.shards);
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter((key) => !key.startsWith("{slot:00}:"))).toEqual([]);
  });

  test("forgets workloads however many go at once, in parts that hold nobody up", async () => {
    await using bed = await openIndex();
    const names = Array.from({ length: 1234 }, (_, i) => `w${i}`);
    await bed.index.put(names.map((name) => entryOf(name, { sources: ["ConfigMap/ns/app"] })));
    const script = vi.spyOn(bed.client.connection, "evalsha");
    await bed.index.retain("Deployment", undefined, new Set(["Deployment/ns/w7"]));
    expect(script).toHaveBeenCalledTimes(3);
    const [found] = await bed.index.findChanged([versionOf("app", "1")]);
    expect(found?.dependents.map(({ workload }) => workload.name)).toEqual(["w7"]);
  });

  // Most sources have one user, which is stored differently: the test goes from one to several and back.
  test("finds those who use a source, however many come and go", async () => {
    await using bed = await openIndex({ prefix: "users" });
    const sources = ["ConfigMap/ns/app"];
    const users = async () => {
      const [found] = await bed.index.findChanged([versionOf("app", "1")]);
      return found?.dependents.map(({ workload }) => workload.name).sort() ?? [];
    };
    const api = entryOf("api", { sources });
    const [web, job] = [entryOf("web", { sources }), entryOf("job", { sources })];
    await bed.index.put([api]);
    await bed.index.put([entryOf("api", { sources, window: { quietPeriodMs: 1 } })]);
    expect(await users()).toEqual(["api"]);
    await bed.index.put([web, job]);
    expect(await users()).toEqual(["api", "job", "web"]);
    await bed.index.remove([api.workload, job.workload]);
    expect(await users()).toEqual(["web"]);
    await bed.index.put([api]);
    expect(await users()).toEqual(["api", "web"]);
    await bed.index.put([entryOf("web"), entryOf("api")]);
    expect(await users()).toEqual([]);
    await bed.index.put([job]);
    expect(await users()).toEqual(["job"]);
    await bed.index.remove([job.workload]);
    expect(await users()).toEqual([]);
  });

  test("counts another life of its state as lost: somebody else flushed and opened it", async () => {
    await using bed = await openIndex({ prefix: "lives" });
    await using other = await openIndex({ prefix: "lives" });
    await bed.lose();
    await other.index.open();
    await expect(bed.index.put([entryOf("api")])).rejects.toMatchObject({ code: "redis.state-lost" });
    await bed.index.open();
    await bed.index.put([entryOf("api")]);
  });

  // Acknowledged writes may be lost in a failover, which nobody can detect, so everything is compared.
  test("counts as lost after every reconnection, also when all is still there", async () => {
    await using bed = await openIndex();
    await bed.index.put([entryOf("api")]);
    const before = bed.client.connections;
    await redis.restart();
    await until("it is connected again", () => bed.client.connections > before);
    await expect(bed.index.verify()).rejects.toMatchObject({ code: "redis.state-lost" });
    await expect(bed.index.forget([versionOf("app").ref])).rejects.toMatchObject({
      code: "redis.state-lost",
    });
    await bed.index.open();
    await bed.index.verify();
  });
});

describe("what keeps the reference index from its answer is told as it is", () => {
  test("a bug of ours", async () => {
    await using bed = await openIndex();
    vi.spyOn(bed.client.connection, "evalsha").mockRejectedValue(new TypeError("no function"));
    await expect(bed.index.put([entryOf("api")])).rejects.toThrow(TypeError);
    vi.restoreAllMocks();
  });

  test("a command that Redis denies", async () => {
    await using own = await startRedis([{ name: "watcher", rules: ["~*", "+@all", "-evalsha"] }]);
    await using bed = await openIndex({ url: own.urlOf("watcher") });
    await expect(bed.index.put([entryOf("api")])).rejects.toMatchObject({ code: "redis.unsuitable" });
  });

  test("a connection that breaks off, in whatever words", async () => {
    await using bed = await openIndex();
    vi.spyOn(bed.client.connection, "evalsha").mockRejectedValue(new Error("read ECONNRESET"));
    await expect(bed.index.put([entryOf("api")])).rejects.toMatchObject({ code: "redis.unavailable" });
    vi.restoreAllMocks();
  });

  test("a connection that is closed", async () => {
    const bed = await openIndex();
    await bed.client.close();
    await expect(bed.index.put([entryOf("api")])).rejects.toMatchObject({ code: "redis.unavailable" });
  });
});

// Otherwise a hundred namespaces and five kinds would fetch all keys five hundred times at each start.
describe("what is asked of one namespace fetches the keys of no other", () => {
  const namespaceOf = (at: number) => (at < 10 ? "few" : "many");

  test("where workloads are retained", async () => {
    await using bed = await openIndex();
    const entries = Array.from({ length: 3000 }, (_, at) => ({
      workload: { kind: "Deployment", namespace: namespaceOf(at), name: `w${at}` },
      ...{ sources: [], patterns: [], scope: "", window: {} },
    }));
    await bed.index.put(entries);
    const { connection } = bed.client;
    const fetched = fieldsFetchedBy(connection);
    await bed.index.retain("Deployment", "few", new Set(["Deployment/few/w1"]));
    expect(await fetched()).toBe(10);
    const left = await connection.hkeys(bed.keys.cluster(bed.cluster).workloads);
    expect(left).toHaveLength(2991);
  });

  test("where the sources with a checkpoint are read", async () => {
    await using bed = await openIndex();
    const versions = Array.from({ length: 3000 }, (_, at) => ({
      ref: { kind: "Secret", namespace: namespaceOf(at), name: `s${at}` } as const,
      resourceVersion: "1",
    }));
    await bed.index.markHandled(versions);
    const fetched = fieldsFetchedBy(bed.client.connection);
    expect(await bed.index.handledSources("Secret", "few")).toHaveLength(10);
    expect(await fetched()).toBe(10);
    expect(await bed.index.handledSources("Secret", undefined)).toHaveLength(3000);
  });
});

/** Counts the hash fields that Redis returns from now until the call. */
function fieldsFetchedBy(connection: RedisClient["connection"]) {
  const hkeys = vi.spyOn(connection, "hkeys");
  const hscan = vi.spyOn(connection, "hscan");
  return async (): Promise<number> => {
    const keys = await Promise.all(hkeys.mock.results.map(({ value }) => value));
    const pages = await Promise.all(hscan.mock.results.map(({ value }) => value));
    vi.restoreAllMocks();
    return keys.flat().length + pages.flatMap(([, found]) => found).length / 2;
  };
}
