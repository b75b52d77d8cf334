import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { holds, passed, until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { defaultPace, type OwnershipPace } from "./ownership-pace.ts";
import { RedisOwnership } from "./redis-ownership.ts";

let shared: TestRedis;
beforeAll(async () => {
  shared = await startRedis();
});
afterAll(() => shared[Symbol.asyncDispose]());

/** Quicker than the real pace, but longer than a busy machine is silent. Moves may follow each other at once unless a test is about that. */
const quick: OwnershipPace = { beatMs: 250, expiryMs: 4000, stayMs: 0, graceMs: 1500, weighMs: 1200 };
/** No member expires for silence within a test. */
const patient: OwnershipPace = { ...quick, expiryMs: 60_000 };

const reachOf = () => "reachable" as const;
const clustersOf = (count: number) => Array.from({ length: count }, (_, i) => `c${i + 1}`);

function begunBy(members: readonly { readonly begun: ReadonlyMap<string, number> }[]): number {
  return members.flatMap(({ begun }) => [...begun.values()]).reduce((sum, count) => sum + count, 0);
}

let fleets = 0;

/** The ownership of some clusters by some watchers, each with a connection of its own. */
function fleetOf(redis: TestRedis = shared, pace: OwnershipPace = quick) {
  fleets += 1;
  const keys = new Keys(`fleet-${fleets}`);
  const members: WatcherMember[] = [];

  interface WatcherMember {
    readonly name: string;
    readonly ownership: RedisOwnership;
    /** Cluster → how often its work began. */
    readonly begun: Map<string, number>;
    /** What is worked on now. */
    readonly watched: Set<string>;
    readonly client: RedisClient;
    readonly log: CollectedLog;
    readonly meter: CountingMeter;
    readonly engage: (clusters: readonly string[]) => void;
    readonly leave: (cluster: string) => void;
    readonly stop: () => Promise<void>;
    /** Neither beats nor leaves, like a killed or frozen process; its work continues, as a frozen one's would. */
    readonly freeze: () => void;
  }

  function join(name: string): WatcherMember {
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redis.url), log);
    const meter = new CountingMeter();
    const stop = new AbortController();
    let isFrozen = false;
    const never = new Promise<void>(() => undefined);
    const clock = {
      ...wallClock,
      sleep: (ms: number, signal: AbortSignal) => (isFrozen ? never : wallClock.sleep(ms, signal)),
    };
    const ownership = new RedisOwnership({ member: name, client, keys, clock, log, meter, pace, reachOf });
    const running = ownership.run(stop.signal);
    const begun = new Map<string, number>();
    const watched = new Set<string>();
    const lifetimes = new Map<string, AbortController>();
    const works: Promise<void>[] = [];
    const watch = (cluster: string) => async (owned: AbortSignal) => {
      begun.set(cluster, (begun.get(cluster) ?? 0) + 1);
      watched.add(cluster);
      await new Promise((resolve) => owned.addEventListener("abort", resolve));
      watched.delete(cluster);
    };
    const member: WatcherMember = {
      ...{ name, ownership, begun, watched, client, log, meter },
      engage: (clusters) => {
        for (const cluster of clusters) {
          const lifetime = new AbortController();
          lifetimes.set(cluster, lifetime);
          const signal = AbortSignal.any([stop.signal, lifetime.signal]);
          works.push(ownership.during(cluster, signal, watch(cluster)));
        }
      },
      leave: (cluster) => lifetimes.get(cluster)?.abort(),
      stop: async () => {
        stop.abort();
        await Promise.all([running, ...works]);
      },
      freeze: () => {
        isFrozen = true;
      },
    };
    members.push(member);
    return member;
  }

  /** All members that watch this cluster now. */
  const ownersOf = (cluster: string) =>
    members.filter(({ watched }) => watched.has(cluster)).map(({ name }) => name);
  return {
    ...{ keys, join, ownersOf },
    settled: (clusters: readonly string[]) =>
      until("each cluster has one owner", () => clusters.every((cluster) => ownersOf(cluster).length === 1)),
    async [Symbol.asyncDispose]() {
      for (const { client } of members) await client.close();
    },
  };
}

/** A member that watches `c1`, and one that would take it. */
async function ownerAndNext(fleet: ReturnType<typeof fleetOf>) {
  const owner = fleet.join("owner");
  owner.engage(["c1"]);
  await fleet.settled(["c1"]);
  const next = fleet.join("next");
  next.engage(["c1"]);
  return [owner, next] as const;
}

describe.concurrent("a cluster", () => {
  test("is watched by one of several with even shares, and each knows of the others'", async () => {
    await using fleet = fleetOf();
    const clusters = clustersOf(12);
    const members = ["a", "b", "c"].map(fleet.join);
    for (const member of members) member.engage(clusters);
    await fleet.settled(clusters);
    // The bound is 1.25 times the share of 4.
    await until("it is even", () => members.every(({ watched }) => watched.size >= 2 && watched.size <= 5));
    await fleet.settled(clusters);
    await until("none is missed", () => members.every(({ ownership }) => ownership.unowned.length === 0));
    for (const { meter, watched } of members) expect(meter.count("owned")).toBe(watched.size);
  });

  test("alone is watched at once, and again by the next one after a stop", async () => {
    await using fleet = fleetOf(shared, patient);
    const [one, next] = await ownerAndNext(fleet);
    await until("the next one knows", () => next.ownership.unowned.length === 0);
    const watcherOf = (cluster: string) => [one, next].map(({ ownership }) => ownership.watcherOf(cluster));
    expect(watcherOf("c1")).toEqual(["us", "another"]);
    expect(watcherOf("foreign")).toEqual(["unknown", "unknown"]);
    const from = performance.now();
    await one.stop();
    await fleet.settled(["c1"]);
    expect(fleet.ownersOf("c1")).toEqual(["next"]);
    // It left by itself; its expiry was not needed.
    expect(performance.now() - from).toBeLessThan(patient.expiryMs);
  });

  test("of an owner that falls silent goes to another, with a greater epoch", async () => {
    await using fleet = fleetOf();
    const [silent, other] = await ownerAndNext(fleet);
    silent.freeze();
    await until("the other one watches it", () => other.watched.has("c1"));
    const epochOf = (log: CollectedLog) => Number(/"epoch":(\d+)/.exec(log.text)?.[1]);
    expect(epochOf(other.log)).toBeGreaterThan(epochOf(silent.log));
  });

  test("stays with its owner when others come and go and it has no more than its share", async () => {
    await using fleet = fleetOf();
    const clusters = clustersOf(4);
    const [first, second] = ["a", "b"].map(fleet.join);
    first?.engage(clusters);
    second?.engage(clusters);
    await until("both have two", () => first?.watched.size === 2 && second?.watched.size === 2);
    const had = [...(first?.watched ?? [])];
    const passing = fleet.join("passing");
    passing.engage(clusters);
    await until("it takes part", () => passing.ownership.unowned.length === 0);
    await passing.stop();
    await fleet.settled(clusters);
    for (const cluster of had) expect(first?.begun.get(cluster)).toBe(1);
  });

  test("that was moved stays where it is for a while, also when that is uneven", async () => {
    await using fleet = fleetOf(shared, { ...quick, stayMs: 60_000 });
    const clusters = clustersOf(8);
    const first = fleet.join("first");
    first.engage(clusters);
    await fleet.settled(clusters);
    const second = fleet.join("second");
    second.engage(clusters);
    await until("it is even", () => second.watched.size >= 3);
    await fleet.settled(clusters);
    const moved = [...second.watched];
    await first.stop();
    await until("all went to the second", () => second.watched.size === 8);
    // A cluster that was moved to it must not move again so soon; one that it took over from a dead member may.
    const third = fleet.join("third");
    third.engage(clusters);
    await until("the third has its part", () => third.watched.size >= 3);
    await fleet.settled(clusters);
    for (const cluster of moved) expect(fleet.ownersOf(cluster)).toEqual(["second"]);
  });

  test("that only some can reach is watched by one of those", async () => {
    await using fleet = fleetOf();
    for (const name of ["x", "y", "z"]) fleet.join(name).engage(["other"]);
    const only = fleet.join("only");
    const mine = clustersOf(6);
    only.engage(mine);
    await fleet.settled([...mine, "other"]);
    expect([...only.watched].filter((cluster) => cluster !== "other").sort()).toEqual(mine);
  });

  test("that costs much is watched apart from another that does", async () => {
    await using fleet = fleetOf();
    const clusters = clustersOf(9);
    const members = ["a", "b"].map(fleet.join);
    for (const member of members) member.engage(clusters);
    await until("it is even", () => members.every(({ watched }) => watched.size >= 4));
    const heavy = [...(members[0]?.watched ?? [])].slice(0, 2);
    const workloads = Object.fromEntries(
      Array.from({ length: 16_000 }, (_, i) => [`Deployment/ns/w${i}`, "{}"]),
    );
    for (const cluster of heavy)
      await members[0]?.client.connection.hset(fleet.keys.cluster(cluster).workloads, workloads);
    await until("they are apart", () => new Set(heavy.flatMap(fleet.ownersOf)).size === 2);
    await fleet.settled(clusters);
  });

  test("that goes is nobody's, and is found again when it comes back", async () => {
    await using fleet = fleetOf();
    const one = fleet.join("one");
    one.engage(["c1", "c2"]);
    await fleet.settled(["c1", "c2"]);
    one.leave("c1");
    await until("it is not watched", () => fleet.ownersOf("c1").length === 0);
    const recorded = () => one.client.connection.hkeys(`${fleet.keys.fleet.root}:owners`);
    await until("it is not recorded", async () => (await recorded()).join() === "c2");
    one.engage(["c1"]);
    await fleet.settled(["c1", "c2"]);
  });
});

describe("while Redis", () => {
  test("is away or was restarted, owners go on, and keep what they have", async () => {
    await using redis = await startRedis();
    await using fleet = fleetOf(redis);
    const clusters = clustersOf(6);
    const members = ["a", "b"].map(fleet.join);
    for (const member of members) member.engage(clusters);
    await until("it is even", () => members.every(({ watched }) => watched.size === 3));
    const had = new Map(clusters.map((cluster) => [cluster, fleet.ownersOf(cluster)]));
    const begun = begunBy(members);
    await redis.kill();
    const isUnchanged = () => clusters.every((one) => fleet.ownersOf(one).join() === had.get(one)?.join());
    // Long enough for all members to expire.
    await holds("each is watched by its owner", 2 * quick.expiryMs, isUnchanged);
    await redis.restart();
    await holds("and is still", 2000, isUnchanged);
    expect(begunBy(members)).toBe(begun);
  });

  test("was flushed, owners tell it anew, and nothing moves", async () => {
    await using redis = await startRedis();
    await using fleet = fleetOf(redis);
    const clusters = clustersOf(6);
    const members = ["a", "b"].map(fleet.join);
    for (const member of members) member.engage(clusters);
    await until("it is even", () => members.every(({ watched }) => watched.size === 3));
    const [first] = members;
    const recorded = async () =>
      (await first?.client.connection.hgetall(`${fleet.keys.fleet.root}:owners`)) ?? {};
    const before = await recorded();
    const begun = begunBy(members);
    await first?.client.connection.flushall();
    await until("all are recorded again", async () => Object.keys(await recorded()).length === 6);
    const epochs = (records: Record<string, string>) =>
      Object.entries(records).map(([cluster, text]) => `${cluster} ${text.split(" ")[0]}`);
    expect(epochs(await recorded()).sort()).toEqual(epochs(before).sort());
    await holds("nothing moves", 2 * quick.graceMs, () => members.every(({ watched }) => watched.size === 3));
    expect(begunBy(members)).toBe(begun);
  });
});

// One command a second and member, however many clusters there are (a Lease each would be 100 writes a second).
test("a thousand clusters are renewed with one command a beat", async () => {
  await using redis = await startRedis();
  await using fleet = fleetOf(redis, defaultPace);
  const clusters = clustersOf(1000);
  const one = fleet.join("one");
  one.engage(clusters);
  await until("all are watched", () => one.watched.size === 1000);
  /** Counts all commands, including those of scripts, but not this query. */
  const commands = async (): Promise<number> => {
    const stats = await one.client.connection.info("commandstats");
    const counts = [...stats.matchAll(/cmdstat_(\w+)[^:]*:calls=(\d+)/g)];
    return counts.reduce((sum, [, name, calls]) => sum + (name === "info" ? 0 : Number(calls)), 0);
  };
  const before = await commands();
  const beats = 3;
  await passed(beats * defaultPace.beatMs);
  // The script and the commands that it always runs: time, member, version.
  expect((await commands()) - before).toBeLessThanOrEqual(10 * (beats + 1));
  await one.stop();
});
