import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { defaultPace } from "./ownership-pace.ts";
import { ownershipScript } from "./ownership-script.ts";
import { RedisOwnership } from "./redis-ownership.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
  // Redis knows the script from now on, so that an exchange is one question.
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  await ownershipScript.run(client.connection, new Keys("known").fleet.root, ["one", "1", "0", ""]);
  await client.close();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** Redis has a clock of its own, so what it measures is not part of these tests: nobody expires, and a cluster may move again at once. */
const pace = { ...defaultPace, expiryMs: 600_000, stayMs: 0 };
const second = 1000;
const minute = 60 * second;

let fleets = 0;

/** Members of one fleet, for whom time passes only when a test says so. */
function fleetOf() {
  fleets += 1;
  const keys = new Keys(`routes-${fleets}`);
  const clients: RedisClient[] = [];
  const clock = new ManualClock(undefined, async () => {
    // A beat is two exchanges at most. What is asked after them arrives after them.
    for (let exchange = 0; exchange < 2; exchange += 1) {
      await settled();
      await Promise.all(clients.map(({ connection }) => connection.ping()));
    }
    await settled();
  });
  const stop = new AbortController();
  const running: Promise<void>[] = [];

  function join(name: string, clusters: readonly string[]) {
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redis.url), log);
    clients.push(client);
    const reaches = new Map<string, Reach>();
    const reachOf = (cluster: string) => reaches.get(cluster) ?? "reachable";
    const meter = new CountingMeter();
    const ownership = new RedisOwnership({ member: name, client, keys, clock, log, meter, pace, reachOf });
    running.push(ownership.run(stop.signal));
    const watched = new Set<string>();
    /** Every cluster whose work began, once for each time. */
    const begun: string[] = [];
    for (const cluster of clusters)
      running.push(
        ownership.during(cluster, stop.signal, async (owned) => {
          begun.push(cluster);
          watched.add(cluster);
          await new Promise((resolve) => owned.addEventListener("abort", resolve));
          watched.delete(cluster);
        }),
      );
    return {
      ...{ watched, begun, log },
      reach: (how: Reach, which = clusters) => {
        for (const cluster of which) reaches.set(cluster, how);
      },
    };
  }
  return {
    join,
    pass: (ms: number) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      for (const client of clients) await client.close();
    },
  };
}

/** A member that has watched all these clusters for a while, and others that could. */
async function ownerAnd(fleet: ReturnType<typeof fleetOf>, others: readonly string[], clusters = ["c1"]) {
  const owner = fleet.join("owner", clusters);
  await fleet.pass(10 * second);
  expect([...owner.watched].sort()).toEqual(clusters);
  const joined = others.map((name) => fleet.join(name, clusters));
  await fleet.pass(minute);
  return [owner, ...joined] as const;
}

test("a cluster that only its owner has not reached for a minute goes to another", async () => {
  await using fleet = fleetOf();
  const [owner, other] = await ownerAnd(fleet, ["other"]);
  owner.reach("unreachable");
  await fleet.pass(58 * second);
  expect([owner.watched.size, other?.watched.size]).toEqual([1, 0]);
  await fleet.pass(8 * second);
  expect([owner.watched.size, other?.watched.size]).toEqual([0, 1]);
  expect(owner.log.text).toContain("another that reaches it may take it");
});

test("it stays there when the first reaches it again, and returns when that is lost", async () => {
  await using fleet = fleetOf();
  const [owner, other] = await ownerAnd(fleet, ["other"]);
  owner.reach("unreachable");
  await fleet.pass(2 * minute);
  owner.reach("reachable");
  await fleet.pass(5 * minute);
  expect([owner.begun, other?.begun]).toEqual([["c1"], ["c1"]]);
  expect(other?.watched).toEqual(new Set(["c1"]));
  other?.reach("unreachable");
  await fleet.pass(2 * minute);
  expect([owner.watched.size, other?.watched.size]).toEqual([1, 0]);
});

test("a cluster that nobody reaches stays where it is, also when it is back", async () => {
  await using fleet = fleetOf();
  const [owner, other] = await ownerAnd(fleet, ["other"]);
  for (const member of [other, owner]) {
    member?.reach("unreachable");
    await fleet.pass(10 * second);
  }
  await fleet.pass(5 * minute);
  // Each notices with its own next probe, which takes up to ten seconds.
  other?.reach("reachable");
  await fleet.pass(10 * second);
  owner.reach("reachable");
  await fleet.pass(5 * minute);
  expect([owner.begun, other?.begun]).toEqual([["c1"], []]);
  expect(owner.log.messages("info")).toHaveLength(2);
  expect(other?.log.messages("info")).toEqual([]);
});

test("outages shorter than a minute move nothing", async () => {
  await using fleet = fleetOf();
  const [owner, other] = await ownerAnd(fleet, ["other"]);
  for (let outage = 0; outage < 5; outage += 1) {
    owner.reach("unreachable");
    await fleet.pass(50 * second);
    owner.reach("failing");
    await fleet.pass(10 * second);
  }
  expect([owner.begun, other?.begun]).toEqual([["c1"], []]);
});

test("a lone watcher goes on with what it does not reach", async () => {
  await using fleet = fleetOf();
  const [owner] = await ownerAnd(fleet, []);
  owner.reach("unreachable");
  await fleet.pass(5 * minute);
  owner.reach("reachable");
  await fleet.pass(minute);
  expect(owner.begun).toEqual(["c1"]);
  expect(owner.watched).toEqual(new Set(["c1"]));
});

test("the lost clusters of a member are shared by the others, for good", async () => {
  await using fleet = fleetOf();
  const clusters = Array.from({ length: 12 }, (_, i) => `c${i + 1}`);
  const members = ["a", "b", "c"].map((name) => fleet.join(name, clusters));
  await fleet.pass(minute);
  const [first, ...others] = members.sort((a, b) => b.watched.size - a.watched.size);
  const [kept = "", ...lost] = first?.watched ?? [];
  expect(lost.length).toBeGreaterThanOrEqual(2);
  first?.reach("unreachable", lost);
  await fleet.pass(70 * second);
  expect(first?.watched).toContain(kept);
  for (const { watched } of others) expect(lost.some((cluster) => watched.has(cluster))).toBe(true);
  const begun = () => members.flatMap((member) => member.begun).length;
  const before = begun();
  // It has less than its share, but gets only what it reaches.
  await fleet.pass(5 * minute);
  expect(lost.filter((cluster) => first?.watched.has(cluster))).toEqual([]);
  expect(begun()).toBe(before);
});

test("a member gets nothing for the sake of balance that it does not reach", async () => {
  await using fleet = fleetOf();
  const [owner, other] = await ownerAnd(fleet, ["other"], ["c1", "c2", "c3", "c4"]);
  const shares = () => [owner.watched.size, other?.watched.size];
  expect(shares()).toEqual([2, 2]);
  owner.reach("unreachable");
  await fleet.pass(70 * second);
  expect(shares()).toEqual([0, 4]);
  const begun = owner.begun.length;
  await fleet.pass(5 * minute);
  expect(shares()).toEqual([0, 4]);
  expect(owner.begun).toHaveLength(begun);
  owner.reach("reachable");
  await fleet.pass(10 * second);
  expect(shares()).toEqual([2, 2]);
});
