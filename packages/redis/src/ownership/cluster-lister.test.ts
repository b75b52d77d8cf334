import type { ClusterState } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ListedRegistration } from "@fleet-reloader/domain/cluster/listed-cluster";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { ClusterLister } from "./cluster-lister.ts";
import { RedisClusterList } from "./redis-cluster-list.ts";

const redis = await startRedis();
const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
});

function registered(
  registration: string,
  id: string | undefined,
  state: ClusterState = "Ready",
): ListedRegistration {
  return { registration, name: "prod", labels: {}, id, status: { state, why: [] } };
}

let fleets = 0;

/** Processes that list the clusters of one fleet. */
function fleet() {
  fleets += 1;
  const options = { client, keys: new Keys(`list${fleets}`) };
  const world = { nowMs: 0 };
  const clock = { now: () => world.nowMs };
  const listerOf = (member: string) => {
    const lister = new ClusterLister({ ...options, clock, member });
    return (listed: readonly ListedRegistration[], isWhole = true) => lister.put({ listed, isWhole });
  };
  const read = async () =>
    (await new RedisClusterList(options).read())?.map(({ id, status }) => `${id} ${status?.state}`);
  return { world, read, watcher: listerOf("watcher"), worker: listerOf("worker") };
}

test("a process that cannot reach a cluster leaves the entry of one that can", async () => {
  const { read, watcher, worker } = fleet();
  await worker([registered("a", undefined, "Unreachable"), registered("b", "c2")]);
  expect(await read()).toEqual(["undefined Unreachable", "c2 Ready"]);
  await watcher([registered("a", "c1"), registered("b", undefined, "Connecting")]);
  expect(await read()).toEqual(["c1 Ready", "c2 Ready"]);
  await worker([registered("a", undefined, "Unreachable"), registered("b", "c2", "Degraded")]);
  expect(await read()).toEqual(["c1 Ready", "c2 Degraded"]);
});

test("a registration that stands by does so in the list, whoever does not reach it", async () => {
  const { read, watcher, worker } = fleet();
  await watcher([registered("a", "c1", "Alias"), registered("b", "c1")]);
  await worker([registered("a", undefined, "Connecting"), registered("b", undefined, "Connecting")]);
  expect(await read()).toEqual(["c1 Alias", "c1 Ready"]);
});

test("a process that has just started takes no registration off the list", async () => {
  const { read, watcher, worker } = fleet();
  await watcher([registered("hub", "c0"), registered("a", "c1")]);
  await worker([registered("hub", undefined, "Discovered")], false);
  expect(await read()).toEqual(["c0 Ready", "c1 Ready"]);
  await worker([registered("hub", "c0")]);
  expect(await read()).toEqual(["c0 Ready"]);
});

test("what only a process knew that has ended leaves the list within a minute", async () => {
  const { read, watcher, worker, world } = fleet();
  await watcher([registered("a", "c1"), registered("b", "c2")]);
  world.nowMs = 59_999;
  await worker([registered("a", undefined, "Connecting")], false);
  expect(await read()).toEqual(["c1 Ready", "c2 Ready"]);
  world.nowMs = 60_000;
  await worker([registered("a", undefined, "Connecting")], false);
  expect(await read()).toEqual(["undefined Connecting"]);
});

test("a process that no longer knows a cluster says so at once, and so does a pause", async () => {
  const { read, watcher, worker } = fleet();
  await watcher([registered("a", "c1")]);
  await watcher([registered("a", undefined, "Connecting")]);
  expect(await read()).toEqual(["undefined Connecting"]);
  await watcher([registered("a", "c1")]);
  await worker([registered("a", undefined, "Paused")]);
  expect(await read()).toEqual(["undefined Paused"]);
});
