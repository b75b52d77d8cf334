import { rollLedgerContract } from "@fleet-reloader/testkit/contracts/roll-ledger-contract";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisRollLedger } from "./redis-roll-ledger.ts";

const redis = await startRedis();
const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
});

let ledgers = 0;
const nextKeys = () => {
  ledgers += 1;
  return new Keys(`l${ledgers}`);
};

rollLedgerContract((limits, now) => {
  const ledger = new RedisRollLedger({ client, keys: nextKeys(), limits, now });
  return { ledger, wipe: async () => void (await client.connection.flushall()) };
});

const request = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } };

test("by Redis' own clock a rate is a rate, and everything it keeps ends by itself", async () => {
  await client.connection.flushall();
  const limits = {
    fleet: { rate: { rolls: 1, perMs: 3_600_000, burst: 1 }, unfinishedMax: 5 },
    workloadBreaker: { rollsMax: 5, withinMs: 60_000 },
  };
  const ledger = new RedisRollLedger({ client, keys: nextKeys(), limits });
  const entry = await ledger.admit(request, [], new AbortController().signal);
  expect(entry).toMatchObject({ type: "hold", reason: "BudgetRate", afterMs: 60_000 });
  const ttls = await Promise.all(
    (await client.connection.keys("*")).map(async (key) => ({ key, ttl: await client.connection.pttl(key) })),
  );
  // Only the beginning is kept for ever: without it every pause would look like a loss.
  expect(ttls.filter(({ ttl }) => ttl < 0).map(({ key }) => key.split("}")[1])).toEqual([":since"]);
});

test("rolls that ask at once share calls, and are counted one by one", async () => {
  await client.connection.flushall();
  const limits = {
    cluster: { unfinishedMax: 7 },
    workloadBreaker: { rollsMax: 1, withinMs: 60_000 },
  };
  const ledger = new RedisRollLedger({ client, keys: nextKeys(), limits });
  const never = new AbortController().signal;
  await client.connection.config("RESETSTAT");
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => {
      const workload = { ...request.workload, name: `w${at}` };
      return ledger.admit({ cluster: "c1", workload }, [], never);
    }),
  );
  expect(answers.slice(0, 7).map(({ type }) => type)).toEqual(Array.from({ length: 7 }, () => "go"));
  expect(answers.slice(7).every(({ type }) => type === "hold")).toBe(true);
  const stats = await client.connection.info("commandstats");
  const calls = [...stats.matchAll(/^cmdstat_eval\w*:calls=(\d+)/gm)];
  expect(calls.reduce((sum, [, count]) => sum + Number(count), 0)).toBeLessThan(10);
});

test.each([
  ["text that is no JSON", "{"],
  ["a number", "7"],
  ["an object without its rolls", "{}"],
])("a damaged breaker (%s) fails its own roll, and no other of its call", async (_, text) => {
  await client.connection.flushall();
  const keys = nextKeys();
  const ledger = new RedisRollLedger({
    ...{ client, keys },
    limits: { workloadBreaker: { rollsMax: 1, withinMs: 60_000 } },
  });
  const never = new AbortController().signal;
  const admit = (name: string) =>
    ledger.admit({ cluster: "c1", workload: { ...request.workload, name } }, [], never);
  await client.connection.set(`${keys.rollLedger}:k:w|c1|Deployment/ns/w7`, text);
  // The first is under way alone, so that the other 32 share the next call.
  const first = admit("first");
  const names = Array.from({ length: 32 }, (_each, at) => `w${at}`);
  const answers = await Promise.allSettled(names.map(admit));
  expect(await first).toEqual({ type: "go" });
  const failed = answers.flatMap((answer, at) => (answer.status === "rejected" ? [{ at, answer }] : []));
  expect(failed).toMatchObject([{ at: 7, answer: { reason: { code: "engine.invariant" } } }]);
  const again = await Promise.allSettled(names.map(admit));
  const held = again.filter((answer) => answer.status === "fulfilled" && answer.value.type === "hold");
  expect(held).toHaveLength(31);
});

/** A ledger in a Redis of its own, which a test may spoil. */
async function startOwnLedger() {
  const server = await startRedis();
  const its = new RedisClient(redisAddress(server.url), new CollectedLog());
  return {
    ledger: new RedisRollLedger({ client: its, keys: nextKeys(), limits: { fleet: { unfinishedMax: 5 } } }),
    client: its,
    connection: its.connection,
    port: server.port,
    async [Symbol.asyncDispose]() {
      await its.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["memory", "maxmemory", /^OOM /],
  ["replicas", "min-replicas-to-write", /^NOREPLICAS /],
])("a Redis without %s is unavailable, and no bug of ours", async (_, limit, message) => {
  await using own = await startOwnLedger();
  const { connection, ledger } = own;
  const admit = () => ledger.admit(request, [], new AbortController().signal);
  await connection.call("CONFIG", "SET", limit, "1");
  await expect(admit()).rejects.toMatchObject({
    code: "redis.unavailable",
    message: expect.stringMatching(message),
  });
  await connection.call("CONFIG", "SET", limit, "0");
  expect(await admit()).toEqual({ type: "go" });
});

test("a roll waits while Redis takes no writes", async () => {
  await using own = await startOwnLedger();
  const { connection, ledger } = own;
  await connection.call("REPLICAOF", "127.0.0.1", String(own.port));
  const { connections } = own.client;
  const answered = ledger.admit(request, [], new AbortController().signal);
  const isTried = until("it is tried again", () => own.client.connections > connections);
  expect(await Promise.race([answered, isTried])).toBe(true);
  await connection.call("REPLICAOF", "NO", "ONE");
  expect(await answered).toEqual({ type: "go" });
});

test("a roll of one cluster does not wait for a call of another", async () => {
  await client.connection.flushall();
  const ledger = new RedisRollLedger({
    ...{ client, keys: nextKeys() },
    limits: { workloadBreaker: { rollsMax: 1, withinMs: 60_000 } },
  });
  const never = new AbortController().signal;
  const order: string[] = [];
  const admit = async (cluster: string, name: string) => {
    await ledger.admit({ cluster, workload: { ...request.workload, name } }, [], never);
    order.push(cluster);
  };
  const storm = Array.from({ length: 100 }, (_, at) => admit("noisy", `w${at}`));
  await Promise.all([...storm, admit("quiet", "api")]);
  expect(order.indexOf("quiet")).toBeLessThan(2);
});

test("who no longer has the request does not wait for Redis", async () => {
  const ledger = new RedisRollLedger({
    ...{ client, keys: nextKeys() },
    limits: { workloadBreaker: { rollsMax: 1, withinMs: 60_000 } },
  });
  await expect(ledger.admit(request, [], AbortSignal.abort())).rejects.toMatchObject({
    code: "engine.aborted",
  });
});

test("a check is answered to a user of Redis who may write nothing", async () => {
  await client.connection.flushall();
  const keys = nextKeys();
  const limits = {
    fleet: { rate: { rolls: 1, perMs: 3_600_000, burst: 1 }, unfinishedMax: 5 },
    workloadBreaker: { rollsMax: 5, withinMs: 60_000 },
  };
  const ledger = new RedisRollLedger({ client, keys, limits });
  const never = new AbortController().signal;
  const held = await ledger.admit(request, [], never);
  const rules = ["on", "nopass", "~*", "+@read", "+@connection", "+info", "+time"];
  await client.connection.call("ACL", "SETUSER", "reader", ...rules, "+eval_ro", "+evalsha_ro");
  const url = redis.url.replace("redis://", "redis://reader:none@");
  const reader = new RedisClient(redisAddress(url), new CollectedLog());
  const asked = new RedisRollLedger({ client: reader, keys, limits });
  try {
    await expect(asked.admit(request, [], never)).rejects.toThrow("NOPERM");
    const names = (await client.connection.keys("*")).toSorted();
    const dump = () => Promise.all(names.map((name) => client.connection.dump(name)));
    const before = await dump();
    const { afterMs, ...same } = await asked
      .check(request, [], never)
      .then((answer) => ({ afterMs: 0, ...answer }));
    expect(held).toMatchObject(same);
    expect(afterMs).toBeGreaterThan(0);
    expect(await dump()).toEqual(before);
    expect((await client.connection.keys("*")).toSorted()).toEqual(names);
  } finally {
    await reader.close();
  }
});
