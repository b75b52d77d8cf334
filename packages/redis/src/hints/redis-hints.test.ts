import { anythingKey } from "@fleet-reloader/domain/hint/hint";
import type { PendingHint } from "@fleet-reloader/engine/hints/hint-store";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisAuditedWrites } from "./redis-audited-writes.ts";
import { RedisHints } from "./redis-hints.ts";

async function startHints(hintsMax = 100) {
  const redis = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  const keys = new Keys("h", 2);
  const process = () => new RedisHints({ client, keys, clock: wallClock, log, hintsMax });
  const lifetime = new AbortController();
  const running: Promise<void>[] = [];
  return {
    client,
    keys,
    process,
    /** Follows in a process of its own; returns the received hints in order. */
    follow(cluster: string, signal = lifetime.signal, hints = process()): PendingHint[] {
      const given: PendingHint[] = [];
      running.push(hints.follow(cluster, signal, (more) => void given.push(...more)));
      return given;
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      await Promise.all(running);
      await client.close();
      await redis[Symbol.asyncDispose]();
    },
  };
}

const keysOf = (given: readonly PendingHint[]) => given.map(({ key }) => key).toSorted();

describe("hints", () => {
  test("reach whoever follows the cluster, before and after they were added", async () => {
    await using bed = await startHints();
    const receiver = bed.process();
    await receiver.add("c1", new Set(["/configmaps/ns/a"]));
    const [first, other] = [bed.follow("c1"), bed.follow("c2")];
    await until("what was there is given", () => first.length === 1);
    await receiver.add("c1", new Set(["/configmaps/ns/b", "/secrets/ns/"]));
    await receiver.add("c2", new Set(["/secrets/ns/x"]));
    await until("all are given", () => first.length === 3 && other.length === 1);
    expect(keysOf(first)).toEqual(["/configmaps/ns/a", "/configmaps/ns/b", "/secrets/ns/"]);
    expect(keysOf(other)).toEqual(["/secrets/ns/x"]);
  });

  test("that were not settled are given to the next one, and no others", async () => {
    await using bed = await startHints();
    await bed.process().add("c1", new Set(["/configmaps/ns/a", "/configmaps/ns/b"]));
    const first = bed.follow("c1");
    await until("both are given", () => first.length === 2);
    await bed.process().settle(
      "c1",
      first.filter(({ key }) => key.endsWith("a")),
    );
    const next = bed.follow("c1");
    await until("the other one is given", () => next.length > 0);
    expect(keysOf(next)).toEqual(["/configmaps/ns/b"]);
  });

  test("that are repeated while they are read stay, and wait as one", async () => {
    await using bed = await startHints();
    const key = "/configmaps/ns/a";
    for (const _ of [1, 2, 3]) await bed.process().add("c1", new Set([key]));
    const given = bed.follow("c1");
    await until("it is given", () => given.length === 1);
    await bed.process().add("c1", new Set([key]));
    await bed.process().settle("c1", given.slice(0, 1));
    await until("it is given again", () => given.length === 2);
    expect(given[1]?.number).toBeGreaterThan(given[0]?.number ?? Number.POSITIVE_INFINITY);
    await bed.process().settle("c1", given);
    expect(await bed.client.connection.keys("*:hints")).toEqual([]);
    expect(await bed.client.connection.keys("*:hinted")).toEqual([]);
  });

  test("of more objects than there may be become one", async () => {
    await using bed = await startHints(3);
    const many = Array.from({ length: 5000 }, (_, i) => `/configmaps/ns/c${i}`);
    await bed.process().add("c1", new Set(many));
    expect(await bed.client.connection.zrange(bed.keys.cluster("c1").hints, "0", "-1")).toEqual(["*"]);
  });

  test("that anything may have changed take the place of all that were there", async () => {
    await using bed = await startHints();
    await bed.process().add("c1", new Set(["/configmaps/ns/a", "/configmaps/ns/b"]));
    await bed.process().add("c1", new Set([anythingKey]));
    await bed.process().add("c1", new Set(["/configmaps/ns/b"]));
    const given = bed.follow("c1");
    await until("they are given", () => given.length > 0);
    expect(given.map(({ key }) => key)).toEqual([anythingKey, "/configmaps/ns/b"]);
  });

  test("go on after Redis has lost everything", async () => {
    await using bed = await startHints();
    const given = bed.follow("c1");
    await bed.process().add("c1", new Set(["/configmaps/ns/a"]));
    await until("the first is given", () => given.length === 1);
    await bed.client.connection.flushall();
    await bed.process().add("c1", new Set(["/configmaps/ns/b"]));
    await until("the second is given", () => given.length === 2);
  });

  test("are not given any more to whoever has stopped, and others go on", async () => {
    await using bed = await startHints();
    const hints = bed.process();
    const stop = new AbortController();
    const [stopped, other] = [bed.follow("c1", stop.signal, hints), bed.follow("c2", undefined, hints)];
    stop.abort();
    await bed.process().add("c1", new Set(["/configmaps/ns/a"]));
    await bed.process().add("c2", new Set(["/configmaps/ns/a"]));
    await until("the other is given its hint", () => other.length === 1);
    expect(stopped).toEqual([]);
    const again = bed.follow("c1", undefined, hints);
    await until("who follows again is given it", () => again.length === 1);
  });
});

describe("audited writes", () => {
  const source = { kind: "ConfigMap", namespace: "ns", name: "app" } as const;
  const by = { user: "ann", groups: ["team-a"], userAgent: "kubectl/v1" };

  test("tell who may have made a write, whoever asks, until they are an hour old", async () => {
    await using bed = await startHints();
    const writes = new RedisAuditedWrites(bed);
    const [seconds = ""] = (await bed.client.connection.time()).map(String);
    const now = Number(seconds);
    const at = { source, manager: "kubectl", fromSeconds: now - 10, toSeconds: now - 9 };
    const old = { source, manager: "kubectl", fromSeconds: now - 7200, toSeconds: now - 7200 };
    const future = { source, manager: "kubectl", fromSeconds: now + 7200, toSeconds: now + 7200 };
    const root = { ...by, user: "root", impersonated: "bob" };
    const all = [
      { ...at, by },
      { ...at, by },
      { ...at, by: root },
      { ...old, by },
      { ...future, by },
    ];
    await writes.add("c1", all);
    const ask = (atSeconds: number, name = "app", cluster = "c1") =>
      new RedisAuditedWrites(bed).candidates(cluster, {
        source: { ...source, name },
        manager: "kubectl",
        atSeconds,
      });
    expect(await ask(now - 9)).toEqual(expect.arrayContaining([by, root]));
    expect(await ask(now - 9)).toHaveLength(2);
    expect([await ask(now - 8), await ask(now - 7200), await ask(now + 7200)]).toEqual([[], [], []]);
    expect([await ask(now - 9, "other"), await ask(now - 9, "app", "c2")]).toEqual([[], []]);
  });

  test("of many objects by few people are told for each object", async () => {
    await using bed = await startHints();
    const [seconds = ""] = (await bed.client.connection.time()).map(String);
    const now = Number(seconds);
    const names = Array.from({ length: 700 }, (_, at) => `app-${at}`);
    const writes = names.flatMap((name, at) => {
      const user = `user-${at % 3}`;
      const write = { source: { ...source, name }, manager: "kubectl", by: { ...by, user } };
      return [now - 7200, now].map((second) => ({ ...write, fromSeconds: second, toSeconds: second }));
    });
    await new RedisAuditedWrites(bed).add("c1", writes);
    const users = await Promise.all(
      names.map(async (name) => {
        const asked = { source: { ...source, name }, manager: "kubectl", atSeconds: now };
        return (await new RedisAuditedWrites(bed).candidates("c1", asked)).map(({ user }) => user);
      }),
    );
    expect(users).toEqual(names.map((_, at) => [`user-${at % 3}`]));
  });

  test("of too many keep the latest", async () => {
    await using bed = await startHints();
    const [seconds = ""] = (await bed.client.connection.time()).map(String);
    const fromSeconds = Number(seconds) - 100;
    const many = Array.from({ length: 6000 }, (_, i) => {
      const at = fromSeconds + Math.floor(i / 100);
      return { source, manager: "kubectl", fromSeconds: at, toSeconds: at, by: { ...by, user: `u${i}` } };
    });
    await new RedisAuditedWrites(bed).add("c1", many);
    expect(await bed.client.connection.zcard(bed.keys.cluster("c1").auditedWrites)).toBe(5000);
  });
});
