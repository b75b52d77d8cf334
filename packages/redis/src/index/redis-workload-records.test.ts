import {
  entryOf,
  namesForTest,
  workloadNamed,
} from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisReferenceIndex } from "./redis-reference-index.ts";
import { RedisWorkloadRecords } from "./redis-workload-records.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

let beds = 0;

/** The records as the watcher writes and a worker reads them, in one Redis with two connections. */
async function openRecords() {
  beds += 1;
  const keys = new Keys(`records-${beds}`);
  const log = new CollectedLog();
  const [watcher, worker] = [log, log].map((one) => new RedisClient(redisAddress(redis.url), one));
  if (watcher === undefined || worker === undefined) throw new Error("no connection");
  const indexOf = async (cluster: string) => {
    const options = { client: watcher, keys, cluster, clock: wallClock, names: namesForTest };
    const index = new RedisReferenceIndex(options);
    await index.open();
    return index;
  };
  const records = new RedisWorkloadRecords({ client: worker, keys, log });
  return {
    ...{ keys, log, worker, records, indexOf },
    index: await indexOf("c1"),
    noted: (name: string) => async () => (await records.read(requestOf(name))).appliedText,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([watcher.close(), worker.close()]);
    },
  };
}

function requestOf(name: string, cluster = "c1") {
  return { cluster, workload: workloadNamed(name) };
}

const seen = { uid: "uid-1", resourceVersion: "107", atSeconds: 1700 };
const served = { as: "a", sinceSeconds: 1600, isRestored: false };
const nothing = { appliedText: undefined, appliedAtSeconds: undefined, seen: undefined, served: undefined };
const observed = { resourceVersion: "200", appliedAtSeconds: 1650 };

describe("what Redis remembers of a workload", () => {
  test("is nothing before anybody told it", async () => {
    await using bed = await openRecords();
    expect(await bed.records.read(requestOf("api"))).toEqual(nothing);
  });

  test("is the event that showed it, until it is recorded, and then its applied state", async () => {
    await using bed = await openRecords();
    await bed.index.put([entryOf("api", { seen }), entryOf("web", { seen: { uid: "uid-2", atSeconds: 7 } })]);
    expect(await bed.records.read(requestOf("api"))).toEqual({ ...nothing, seen });
    expect(await bed.records.read(requestOf("web"))).toEqual({
      ...nothing,
      seen: { uid: "uid-2", atSeconds: 7 },
    });
    bed.records.applied(requestOf("api"), "the note", observed);
    await until("it is noted", async () => (await bed.noted("api")()) === "the note");
    expect(await bed.records.read(requestOf("api"))).toEqual({
      ...{ ...nothing, appliedText: "the note" },
      appliedAtSeconds: 1650,
    });
    expect((await bed.records.read(requestOf("web"))).seen?.uid).toBe("uid-2");
  });

  test("is the state that is kept before another is written, once Redis answers", async () => {
    await using bed = await openRecords();
    await bed.records.keep(requestOf("api"), "the note", 1650);
    expect(await bed.records.read(requestOf("api"))).toMatchObject({
      appliedText: "the note",
      appliedAtSeconds: 1650,
    });
    await bed.records.keep(requestOf("api"), "", 1650);
    expect((await bed.records.read(requestOf("api"))).appliedText).toBe("");
  });

  test("is an applied state without a time where a release of before wrote it", async () => {
    await using bed = await openRecords();
    const appliedText = '{"v":1,"key":"k1","sources":{}}';
    await bed.worker.connection.hset(bed.keys.cluster("c1").noted, "Deployment/ns/api", appliedText);
    expect(await bed.records.read(requestOf("api"))).toMatchObject({
      appliedText,
      appliedAtSeconds: undefined,
    });
  });

  test("is the newest of its applied states, and none once it has none", async () => {
    await using bed = await openRecords();
    bed.records.applied(requestOf("api"), "one", observed);
    bed.records.applied(requestOf("api"), "two", observed);
    await until("it is noted", async () => (await bed.noted("api")()) === "two");
    bed.records.applied(requestOf("api"), undefined, observed);
    await until("it is forgotten", async () => (await bed.noted("api")()) === undefined);
  });

  test("is kept apart from that of another workload, another kind and another cluster", async () => {
    await using bed = await openRecords();
    const request = requestOf("api");
    bed.records.applied(request, "the note", observed);
    await until("it is noted", async () => (await bed.noted("api")()) === "the note");
    for (const other of [
      requestOf("api", "c2"),
      requestOf("api2"),
      { ...request, workload: workloadNamed("api", "StatefulSet") },
      { ...request, workload: workloadNamed("api", "Deployment", "ns2") },
    ])
      expect(await bed.records.read(other)).toEqual(nothing);
  });

  test("goes with the workload", async () => {
    await using bed = await openRecords();
    await bed.index.put([entryOf("api", { seen })]);
    bed.records.applied(requestOf("api"), "the note", observed);
    await until("it is noted", async () => (await bed.noted("api")()) === "the note");
    await bed.index.remove([workloadNamed("api")]);
    expect(await bed.records.read(requestOf("api"))).toEqual(nothing);
  });
});

describe("since when a workload is served", () => {
  test("is told by the stream of its namespace, or else by that of its kind", async () => {
    await using bed = await openRecords();
    const read = async () => (await bed.records.read(requestOf("api"))).served;
    await bed.index.serve("StatefulSet", served);
    await bed.index.serve("Deployment in ns2", served);
    expect(await read()).toBeUndefined();
    await bed.index.serve("Deployment", served);
    expect(await read()).toEqual(served);
    const own = { as: "b", sinceSeconds: 1650, isRestored: true };
    await bed.index.serve("Deployment in ns", own);
    expect(await read()).toEqual(own);
  });

  test("is told for its own cluster only", async () => {
    await using bed = await openRecords();
    const other = await bed.indexOf("c2");
    await other.serve("Deployment", served);
    expect((await bed.records.read(requestOf("api"))).served).toBeUndefined();
    expect((await bed.records.read(requestOf("api", "c2"))).served).toEqual(served);
  });
});

describe("a workload whose entry is new", () => {
  test("has been looked at once a worker says so, or has recorded it", async () => {
    await using bed = await openRecords();
    await bed.index.put([entryOf("api"), entryOf("web"), entryOf("job")]);
    expect(await bed.index.unreconciled()).toBe(3);
    bed.records.reconciled(requestOf("api"));
    await until("it is counted no more", async () => (await bed.index.unreconciled()) === 2);
    bed.records.applied(requestOf("web"), "the note", observed);
    await until("it is counted no more", async () => (await bed.index.unreconciled()) === 1);
    bed.records.applied(requestOf("job"), undefined, observed);
    await until("it is counted no more", async () => (await bed.index.unreconciled()) === 0);
  });

  test("keeps the event that showed it when it was only looked at", async () => {
    await using bed = await openRecords();
    await bed.index.put([entryOf("api", { seen })]);
    bed.records.reconciled(requestOf("api"));
    await until("it is counted no more", async () => (await bed.index.unreconciled()) === 0);
    expect((await bed.records.read(requestOf("api"))).seen).toEqual(seen);
  });
});

// An older version, or anybody with write access to Redis, may have written it.
test.each(["", "{", "7", "[]", '["uid"]', '["uid","7"]', '[7,7,"1"]', '{"as":7,"since":1}', '{"as":"a"}'])(
  "what cannot be read is not remembered: %j",
  async (text) => {
    await using bed = await openRecords();
    const its = bed.keys.cluster("c1");
    await bed.worker.connection.hset(its.seen, "Deployment/ns/api", text);
    await bed.worker.connection.hset(its.served, "Deployment", text);
    expect(await bed.records.read(requestOf("api"))).toEqual(nothing);
  },
);

test("what is told while Redis is away holds nobody up, and is told when it is back", async () => {
  await using mortal = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(mortal.url), log);
  const records = new RedisWorkloadRecords({ client, keys: new Keys("away"), log });
  expect(await records.read(requestOf("api"))).toEqual(nothing);
  await mortal.kill();
  records.applied(requestOf("api"), "the note", observed);
  await mortal.restart();
  await until("it is noted", async () => (await records.read(requestOf("api"))).appliedText === "the note");
  await client.close();
});

/** The number of script calls that Redis has answered. */
async function scriptCalls({ connection }: RedisClient): Promise<number> {
  const stats = await connection.info("commandstats");
  const found = [...stats.matchAll(/^cmdstat_eval\w*:calls=(\d+)/gm)];
  return found.reduce((sum, [, calls]) => sum + Number(calls), 0);
}

test("workloads of a fan-out share calls, and each is read and recorded as itself", async () => {
  await using mortal = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(mortal.url), log);
  const records = new RedisWorkloadRecords({ client, keys: new Keys("many"), log });
  const names = Array.from({ length: 100 }, (_, at) => `w${at}`);
  const before = await scriptCalls(client);
  for (const name of names) records.applied(requestOf(name), `note of ${name}`, observed);
  const read = await Promise.all(names.map((name) => records.read(requestOf(name))));
  expect(read.map(({ appliedText }) => appliedText)).toEqual(names.map((name) => `note of ${name}`));
  expect((await scriptCalls(client)) - before).toBeLessThan(50);
  await client.close();
});

test("what is asked or kept of a workload comes after what was told of it", async () => {
  await using bed = await openRecords();
  // This one is under way, so that the others wait for the next call.
  bed.records.applied(requestOf("other"), "another note", observed);
  bed.records.applied(requestOf("api"), "one", observed);
  expect((await bed.records.read(requestOf("api"))).appliedText).toBe("one");
  bed.records.applied(requestOf("other"), "another note", observed);
  bed.records.applied(requestOf("api"), "two", observed);
  await bed.records.keep(requestOf("api"), "what counts until then", 1650);
  expect((await bed.records.read(requestOf("api"))).appliedText).toBe("what counts until then");
});

test("an event that cannot be read keeps no other workload from being recorded", async () => {
  await using bed = await openRecords();
  const its = bed.keys.cluster("c1");
  for (const text of ["{", "7"]) {
    await bed.worker.connection.hset(its.seen, "Deployment/ns/broken", text);
    for (const name of ["first", "broken", "web"])
      bed.records.applied(requestOf(name), `note ${text}`, observed);
    for (const name of ["broken", "web"])
      expect((await bed.records.read(requestOf(name))).appliedText).toBe(`note ${text}`);
  }
});

test("an applied state that Redis refuses is told in the log", async () => {
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  const keys = new Keys("refused");
  await client.connection.set(keys.cluster("c1").noted, "no hash");
  new RedisWorkloadRecords({ client, keys, log }).applied(requestOf("api"), "the note", observed);
  await until("it is told", () =>
    log.lines.some(({ message }) => message === "the record of a workload could not be written"),
  );
  await client.close();
});

// The applied state on the workload says the same.
test("telling a Redis that will not be back is no failure, asking it is one", async () => {
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  await client.connection.ping();
  const records = new RedisWorkloadRecords({ client, keys: new Keys("gone"), log });
  await client.close();
  records.applied(requestOf("api"), "the note", observed);
  records.reconciled(requestOf("api"));
  await expect(records.read(requestOf("api"))).rejects.toThrow();
});
