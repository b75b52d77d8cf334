import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { HistoryReader } from "./history-reader.ts";
import { RedisHistory, type RedisHistoryOptions } from "./redis-history.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const day = 24 * 3_600_000;
let beds = 0;

function historyOn(url: string, own: Partial<RedisHistoryOptions> = {}) {
  beds += 1;
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(url), log);
  const keys = new Keys(`history-${beds}`, 4);
  const meter = new CountingMeter();
  const options = { client, keys, log, meter, clock: wallClock, retentionMs: 7 * day, lengthMax: 1_000_000 };
  const history = new RedisHistory({ ...options, ...own });
  const reader = new HistoryReader({ client, keys });
  const read = async (query: Partial<Parameters<HistoryReader["read"]>[0]> = {}) => {
    // Records of the current millisecond are returned in the next one.
    const begunMs = await millisecondOf(client);
    await until("a millisecond has passed", async () => (await millisecondOf(client)) > begunMs);
    const lines = [];
    for await (const line of reader.read({ since: { ms: 0 }, limit: 1e6, ...query })) lines.push(line);
    return lines;
  };
  return {
    ...{ client, keys, history, meter, read },
    names: async (query = {}) => (await read(query)).map(({ record }) => nameOf(record)),
    async [Symbol.asyncDispose]() {
      await history.stop(100);
      await client.close();
    },
  };
}

async function millisecondOf({ connection }: RedisClient): Promise<number> {
  const [seconds = 0, micros = 0] = await connection.time();
  return seconds * 1000 + Math.floor(micros / 1000);
}

const cluster = { id: "c1", name: "prod" };
const entry = { v: 1, time: "2026-07-01T12:00:00.000Z", cluster } as const;

function action(name: string): HistoryRecord {
  const workload = { kind: "Deployment", namespace: "ns", name };
  return { ...entry, type: "action", workload, action: "rolled", strategy: "annotations", sources: [] };
}

function change(version: string): HistoryRecord {
  const source = { kind: "Secret", namespace: "ns", name: "db" } as const;
  return { ...entry, type: "change", change: `c1/Secret/ns/db@${version}`, source, resourceVersion: version };
}

function nameOf(record: HistoryRecord): string {
  return record.type === "action" ? record.workload.name : record.type;
}

test("what is appended is read in order, over many pages", async () => {
  await using bed = historyOn(redis.url);
  const names = Array.from({ length: 1234 }, (_, i) => `w${i}`);
  bed.history.append(names.slice(0, 700).map(action));
  bed.history.append(names.slice(700).map(action));
  await bed.history.stop(60_000);
  expect(await bed.names()).toEqual(names);
  expect(bed.meter.count("history written")).toBe(1234);
});

test("a reader takes what it asks for, and goes on after the last line it has", async () => {
  await using bed = historyOn(redis.url);
  bed.history.append(["a", "b", "c", "d"].map(action));
  await bed.history.stop(60_000);
  const firstTwo = await bed.read({ limit: 2 });
  expect(firstTwo.map(({ record }) => nameOf(record))).toEqual(["a", "b"]);
  expect(await bed.names({ since: { afterId: firstTwo[1]?.id ?? "" } })).toEqual(["c", "d"]);
  expect(await bed.names({ since: { ms: Date.now() + 1000 } })).toEqual([]);
  expect(await bed.names({ name: "c" })).toEqual(["c"]);
  expect(await bed.names({ cluster: "other" })).toEqual([]);
});

test("what operators did is read alone, whatever else says its type", async () => {
  await using bed = historyOn(redis.url);
  const act = { v: 1, time: entry.time, type: "operator", action: "retry", by: "ann", target: "x" } as const;
  bed.history.append(['"type":"operator"', "b"].map(action));
  bed.history.append([act, change("7"), act]);
  await bed.history.stop(60_000);
  const lines = await bed.read({ type: "operator" });
  expect(lines.map(({ record }) => record)).toEqual([act, act]);
  expect(await bed.read({ type: "operator", limit: 1 })).toEqual(lines.slice(0, 1));
  expect(await bed.read({ type: "operator", cluster: "other" })).toEqual([]);
});

test("the clusters of all shards are read in the order in which they were told", async () => {
  await using bed = historyOn(redis.url);
  const names = Array.from({ length: 60 }, (_, i) => `w${i}`);
  for (const [i, name] of names.entries()) {
    const at = String(1_700_000_000_000 + i);
    const record = JSON.stringify(action(name));
    await bed.client.connection.xadd(bed.keys.history(`cluster-${i % 7}`), `${at}-0`, "record", record);
  }
  expect(new Set(names.map((_, i) => bed.keys.history(`cluster-${i % 7}`))).size).toBeGreaterThan(1);
  expect(await bed.names()).toEqual(names);
});

test("lines of several shards at one moment are read once, wherever a reader stops", async () => {
  await using bed = historyOn(redis.url);
  for (const [shard, key] of bed.keys.histories.entries())
    for (const id of ["1700000000000-0", "1700000000000-1", "1700000000007-0"])
      await bed.client.connection.xadd(key, id, "record", JSON.stringify(action(`${id}-${shard}`)));
  const all = await bed.read();
  expect(all).toHaveLength(12);
  expect(all.map(({ record }) => nameOf(record))).toEqual(all.map(({ id }) => id));
  for (const [at, { id }] of all.entries())
    expect(await bed.read({ since: { afterId: id } })).toEqual(all.slice(at + 1));
});

// A shard that was read before would have received lines that belong before these.
test("a reader is given nothing that was written after it began", async () => {
  await using bed = historyOn(redis.url);
  const [first = "", second = ""] = bed.keys.histories;
  const later = `${Date.now() + 60_000}-0`;
  await bed.client.connection.xadd(first, "1700000000000-0", "record", JSON.stringify(action("before")));
  await bed.client.connection.xadd(second, later, "record", JSON.stringify(action("after")));
  expect(await bed.names()).toEqual(["before"]);
});

test("a change that several workloads lead to is told once", async () => {
  await using bed = historyOn(redis.url);
  bed.history.append([change("7"), action("a")]);
  bed.history.append([change("7"), action("b"), change("8")]);
  await bed.history.stop(60_000);
  expect(await bed.names()).toEqual(["change", "a", "b", "change"]);
});

// A change is recorded once in its cluster; later records name only its id there.
test("what came of a change of the fleet is found in a range after its record", async () => {
  await using bed = historyOn(redis.url);
  const came = (version: string, fromCluster = cluster): HistoryRecord => {
    const source = { kind: "Secret", namespace: "ns", name: "db" } as const;
    const sources = [{ ...source, change: `${fromCluster.id}/Secret/ns/db@${version}` }];
    return Object.assign({}, action("api"), { cluster: fromCluster, sources });
  };
  const c2 = { id: "c2", name: "test" };
  const onC2 = Object.assign({}, change("9"), {
    cluster: c2,
    change: "c2/Secret/ns/db@9",
    fleetChange: "f1-a",
  });
  const wanted = [{ ...change("7"), fleetChange: "f1-a" }, onC2, came("7"), came("9", c2), came("7")];
  const others = [{ ...change("8"), fleetChange: "f1-b" }, came("8"), came("9")];
  for (const [i, record] of [...wanted, ...others].entries()) {
    const stream = bed.keys.history(record.cluster?.id);
    await bed.client.connection.xadd(stream, `${1_700_000_000_000 + i}-0`, "record", JSON.stringify(record));
  }
  const all = await bed.read({ change: "f1-a" });
  expect(all.map(({ record }) => record)).toEqual(wanted);
  for (const [at, { id }] of all.entries()) {
    expect(await bed.read({ change: "f1-a", since: { afterId: id } })).toEqual(all.slice(at + 1));
    const since = { ms: 1_700_000_000_000 + at };
    expect(await bed.read({ change: "f1-a", since })).toEqual(all.slice(at));
  }
});

test("of too many records the oldest go", async () => {
  await using bed = historyOn(redis.url, { lengthMax: 200 });
  for (let i = 0; i < 20; i += 1)
    bed.history.append(Array.from({ length: 100 }, (_, j) => action(`w${i}-${j}`)));
  await bed.history.stop(60_000);
  const names = await bed.names();
  // Redis trims whole nodes of the stream, of a hundred entries each.
  expect(names.length).toBeLessThanOrEqual(400);
  expect(names.at(-1)).toBe("w19-99");
});

// Redis refuses to append then, so trimming with an append would free nothing.
test("of too many records the oldest go also while Redis has no memory", async () => {
  await using own = await startRedis();
  await using bed = historyOn(own.url, { lengthMax: 200 });
  const { connection } = bed.client;
  const key = bed.keys.history("c1");
  const entries = connection.pipeline();
  for (let i = 0; i < 1000; i += 1) entries.xadd(key, "*", "record", JSON.stringify(action(`w${i}`)));
  await entries.exec();
  await connection.call("CONFIG", "SET", "maxmemory", "1");
  bed.history.trim();
  await until("the oldest are gone", async () => (await connection.xlen(key)) <= 300);
  expect((await bed.names()).at(-1)).toBe("w999");
});

test("records go when their time is over", async () => {
  await using bed = historyOn(redis.url, { retentionMs: day });
  const key = bed.keys.history("c1");
  for (let i = 0; i < 250; i += 1)
    await bed.client.connection.xadd(key, `${1000 + i}-0`, "record", JSON.stringify(action("old")));
  const quiet = bed.keys.histories.find((each) => each !== key) ?? "";
  await bed.client.connection.xadd(quiet, "1000-0", "record", JSON.stringify(action("quiet")));
  bed.history.append([action("new")]);
  await bed.history.stop(60_000);
  expect(await bed.names()).toEqual(["new"]);
});

test("what somebody else put there is no record, and disturbs nobody", async () => {
  await using bed = historyOn(redis.url);
  const key = bed.keys.history("c1");
  await bed.client.connection.xadd(key, "*", "other", "x");
  await bed.client.connection.xadd(key, "*", "record", '{"v":9,"type":"change"}');
  bed.history.append([action("a")]);
  await bed.history.stop(60_000);
  expect(await bed.names()).toEqual(["a"]);
});

test("while Redis is away nobody waits; what has no room is counted", async () => {
  const own = await startRedis();
  await using bed = historyOn(own.url);
  await until("it is connected", () => bed.client.notReady.length === 0);
  await own[Symbol.asyncDispose]();
  const begun = performance.now();
  for (let i = 0; i < 300; i += 1) bed.history.append(Array.from({ length: 100 }, () => action("w")));
  expect(performance.now() - begun).toBeLessThan(20_000);
  // The four shards divide the room.
  expect(bed.meter.count("history dropped")).toBe(27_500);
  await bed.history.stop(50);
});

/** One record for each of many clusters, the key of one shard, and the clusters of the other shards. */
function manyClusters(keys: Keys) {
  const clusters = Array.from({ length: 20 }, (_, i) => `cluster-${i}`);
  const key = keys.history("cluster-0");
  const records = clusters.map((id): HistoryRecord => ({ ...action(id), cluster: { id, name: id } }));
  return { records, key, others: clusters.filter((id) => keys.history(id) !== key) };
}

test("a shard that cannot be written keeps none of the others", async () => {
  await using bed = historyOn(redis.url);
  const { records, key: broken, others } = manyClusters(bed.keys);
  await bed.client.connection.set(broken, "no stream");
  bed.history.append(records);
  await bed.history.stop(60_000);
  expect(bed.meter.count("history written")).toBe(others.length);
  expect(bed.meter.count("history dropped")).toBe(records.length - others.length);
  await bed.client.connection.del(broken);
  expect((await bed.names()).toSorted()).toEqual(others.toSorted());
});

// Like a Redis Cluster with one hanging node.
test("a shard that does not answer holds up none of the others", async () => {
  await using bed = historyOn(redis.url);
  const { records, key: silent, others } = manyClusters(bed.keys);
  const { connection } = bed.client;
  const { evalsha } = connection;
  vi.spyOn(connection, "evalsha").mockImplementation(async (...given: Parameters<typeof evalsha>) =>
    given[2] === silent ? await new Promise(() => undefined) : await evalsha.apply(connection, given),
  );
  bed.history.append(records);
  await until("the others are there", async () => (await bed.names()).length === others.length);
});
