import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { guardShards } from "../connection/shard-guard.ts";
import { startRedisOfRoles } from "../fixture/role-users.ts";
import { RedisAuditedWrites } from "../hints/redis-audited-writes.ts";
import { RedisHints } from "../hints/redis-hints.ts";
import { RedisHistory } from "../history/redis-history.ts";
import { RedisRecordedFreezes } from "../history/redis-recorded-freezes.ts";
import { RedisKnownDocuments } from "../index/redis-known-documents.ts";
import { RedisPublishedSources } from "../index/redis-published-sources.ts";
import { ClusterLister } from "../ownership/cluster-lister.ts";
import { GoneClusters } from "../ownership/gone-clusters.ts";
import { RedisClusterReports } from "../ownership/redis-cluster-reports.ts";
import { RedisIncumbents } from "../ownership/redis-incumbents.ts";
import { type RedisRole, redisAclRules, redisRoles } from "./redis-roles.ts";

const redis = await startRedisOfRoles();
const keys = new Keys("fleet-reloader", 2);
const log = new CollectedLog();
const clients = redisRoles.map((role) => new RedisClient(redisAddress(redis.urlOf(role)), log));
const clientOf = (role: RedisRole): RedisClient => clients[redisRoles.indexOf(role)] ?? redis.admin;
beforeEach(async () => {
  await redis.admin.connection.acl("LOG", "RESET");
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await redis[Symbol.asyncDispose]();
});

const unending = new AbortController().signal;
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
const write = {
  ...{ source, manager: "kubectl", fromSeconds: Math.floor(wallClock.now() / 1000) },
  ...{ toSeconds: Math.floor(wallClock.now() / 1000), by: { user: "ann", groups: [], userAgent: "kubectl" } },
};
const record: HistoryRecord = {
  ...{ v: 1, time: "2026-01-01T00:00:00.000Z", type: "operator", action: "retry", by: "ann" },
  ...{ target: "fleet", note: "" },
};

/** What every service does. */
async function serve(client: RedisClient): Promise<void> {
  await guardShards({ client, keys });
  const incumbents = new RedisIncumbents({ client, keys });
  expect(await incumbents.keep("c1", "registration")).toBe("registration");
  expect([...(await incumbents.all()).keys()]).toEqual(["c1"]);
  const documents = new RedisKnownDocuments({ client, keys });
  await documents.add("freezes");
  expect(await documents.has("freezes")).toBe(true);
  const clock = wallClock;
  await new ClusterLister({ client, keys, clock, member: "m" }).put({ listed: [], isWhole: true });
  const meter = new CountingMeter();
  const options = { client, keys, log, meter, clock, retentionMs: 60_000, lengthMax: 10 };
  const history = new RedisHistory(options);
  history.append([record]);
  await history.stop(60_000);
  expect(await new RedisAuditedWrites({ client, keys }).candidates("c1", { ...write, atSeconds: 1 })).toEqual(
    [],
  );
}

test.each(["watcher", "worker", "standalone"] as const)("a %s serves clusters", async (role) => {
  await serve(clientOf(role));
  expect(await redis.denied()).toEqual([]);
});

test.each(["watcher", "standalone"] as const)("a %s takes hints, and forgets clusters", async (role) => {
  const client = clientOf(role);
  const hints = new RedisHints({ client, keys, clock: wallClock, log });
  await hints.add("c1", new Set(["Secret/shop/db"]));
  await hints.settle("c1", [{ key: "Secret/shop/db", number: 1 }]);
  await new RedisAuditedWrites({ client, keys }).add("c1", [write]);
  const published = new RedisPublishedSources({ cluster: "c1", client, keys });
  await published.remember([{ ref: source, resourceVersion: "1", mark: "v1:a:b" }]);
  expect(await published.find([source])).toHaveLength(1);
  await published.forget([source]);
  await new RedisRecordedFreezes({ client, keys, member: "m" }).replace([]);
  const reports = new RedisClusterReports({ client, keys, member: "m" });
  await reports.write(new Map([["c1", "{}"]]), ["c2"]);
  expect(await reports.renew()).toBe(true);
  await reports.clear();
  await redis.admin.connection.del(keys.fleet.forgetting);
  await redis.admin.connection.hset(keys.fleet.registered, "gone", "1");
  await redis.admin.connection.set(keys.cluster("gone").epoch, "e");
  const registered = () => new Set(["c1"]);
  const options = { client, keys, clock: wallClock, random: () => 0, log, registered };
  await new GoneClusters(options).look(unending);
  expect(await redis.admin.connection.exists(keys.cluster("gone").epoch)).toBe(0);
  expect(await redis.denied()).toEqual([]);
});

describe("nobody", () => {
  const all = redisRoles.map((role) => [role] as const);

  test.each(all)("as a %s may do what the product never does", async (role) => {
    const { connection } = clientOf(role);
    const asked = [
      connection.flushall(),
      connection.config("GET", "*"),
      connection.keys("*"),
      connection.acl("LIST"),
      connection.get("somebody-else's"),
      connection.publish("channel", "message"),
      connection.eval("return redis.call('FLUSHALL')", 0),
    ];
    for (const answer of await Promise.allSettled(asked))
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "redis.unsuitable" } });
  });
});

test("a worker reads no index, and whoever asks changes nothing", async () => {
  const its = keys.cluster("c1");
  const denied = { code: "redis.unsuitable", class: "misconfigured" };
  await expect(clientOf("worker").connection.hget(its.workloads, "w")).rejects.toMatchObject(denied);
  await expect(clientOf("worker").connection.hset(keys.fleet.owners, "c1", "x")).rejects.toMatchObject(
    denied,
  );
  await expect(clientOf("dashboard").connection.hget(its.workloads, "w")).resolves.toBeNull();
  // It stores sign-in sessions, and may write nothing else with the same commands.
  const { connection } = clientOf("dashboard");
  await expect(connection.unlink(`${keys.queuePrefixes[0]}:reconcile:1`)).rejects.toMatchObject(denied);
  await expect(connection.set(keys.fleet.freezes, "x")).rejects.toMatchObject(denied);
  const script = "return redis.call('DEL', ARGV[1])";
  const root = `${keys.queuePrefixes[0]}:reconcile:`;
  const inScript = clientOf("dashboard").connection.eval(script, 1, root, its.workloads);
  await expect(inScript).rejects.toMatchObject(denied);
});

test("what a transaction wrote is there after a restart, with the default user off", async () => {
  const users = [{ name: "worker", rules: redisAclRules("worker") }];
  await using own = await startRedis(users);
  const client = new RedisClient(redisAddress(own.urlOf("admin")), log);
  await client.connection.multi().set("one", "1").set("other", "2").exec();
  await own.restart();
  expect(await client.connection.mget("one", "other")).toEqual(["1", "2"]);
  await client.close();
});

test("rules name each command and each pattern once, and no pattern but ours", () => {
  for (const role of redisRoles) {
    const whole = redisAclRules(role);
    const selectors = whole.filter((rule) => rule.startsWith("("));
    for (const selector of selectors)
      expect(selector).toMatch(/^\((\+[a-z]+ )+~\{fleet-reloader:[^ *]+\*\)$/);
    const rules = whole.filter((rule) => !selectors.includes(rule));
    expect(new Set(rules).size).toBe(rules.length);
    const patterns = rules.filter((rule) => rule.includes("~"));
    expect(patterns.filter((rule) => !/^(%R)?~\{fleet-reloader:/.test(rule))).toEqual([]);
    expect(rules.filter((rule) => !/^(%R)?~|^\+[a-z_|]+$/.test(rule))).toEqual(["resetchannels", "-@all"]);
  }
});
