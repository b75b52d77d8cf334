import process from "node:process";
import { startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { atBest } from "@fleet-reloader/testkit/in-time";
import type { Product } from "@fleet-reloader/testkit/product";
import { startRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { passed, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { type FleetCluster, type SharedFleet, startSharedFleet } from "../shared-fleet.ts";

/** Several watchers share several clusters: whoever watches, each change rolls exactly once. */
export function sharingTests(): void {
  test("an owner is killed right after or before a change: another rolls it, once", () =>
    onFleet({ clusters: 6, watchers: 3 }, async (fleet) => {
      const owners = await fleet.settled();
      const byOwner = [...Map.groupBy(fleet.clusters, (cluster) => owners.get(cluster))];
      const [[victim, its] = []] = byOwner.sort(([, a], [, b]) => b.length - a.length);
      const [before, after] = its ?? [];
      if (victim === undefined || before === undefined || after === undefined)
        throw new Error("nobody has two of six clusters");

      await before.at.change("ConfigMap", "settings", { v: "1" });
      victim.signal("SIGKILL");
      await victim.ended;
      // Nobody watches this one now: the next owner compares what it lists with the checkpoints of the one before.
      await after.at.change("ConfigMap", "settings", { v: "1" });
      await fleet.settled();
      await before.at.settlesAt("Deployment", "api", 1);
      await after.at.settlesAt("Deployment", "api", 1);

      for (const { at } of fleet.clusters) await at.change("ConfigMap", "settings", { v: "2" });
      await eachSettles(fleet, (cluster) => (cluster === before || cluster === after ? 2 : 1));
    }));

  test("two owners for a while, since the first was frozen: one roll for each change", () =>
    onFleet({ clusters: 4, watchers: 2 }, async (fleet) => {
      const [hit] = fleet.clusters;
      if (hit === undefined) throw new Error("no cluster");
      const frozen = (await fleet.settled()).get(hit);
      frozen?.signal("SIGSTOP");
      await until("another watches it", () => fleet.ownersOf(hit).at(-1) !== frozen);
      await hit.at.change("ConfigMap", "settings", { v: "1" });
      // It wakes with the change in its sockets, and takes itself for the owner until it is told.
      frozen?.signal("SIGCONT");
      await hit.at.settlesAt("Deployment", "api", 1);
      await until("it is told", () =>
        frozen?.log.some(({ msg }) => msg === "another watcher watches the cluster"),
      );
      for (const cluster of fleet.clusters) await cluster.at.change("ConfigMap", "settings", { v: "2" });
      await eachSettles(fleet, (cluster) => (cluster === hit ? 2 : 1));
    }));

  test("a watcher that is stopped hands over, and one that starts again takes its part", () =>
    onFleet({ clusters: 6, watchers: 2 }, async (fleet, [one, two]) => {
      await fleet.settled();
      expect(await one?.stop()).toBe(0);
      await until("the other has all", () =>
        fleet.clusters.every((cluster) => fleet.ownersOf(cluster).at(-1) === two),
      );
      await Promise.all(
        fleet.clusters.map((cluster) => cluster.at.change("ConfigMap", "settings", { v: "1" })),
      );
      const again = fleet.watcher();
      await again.ready();
      await until("it has its part", () =>
        fleet.clusters.some((cluster) => fleet.ownersOf(cluster).at(-1) === again),
      );
      await eachSettles(fleet, () => 1);
    }));

  // An owner that a busy machine keeps silent for five seconds is given up, and rightly so.
  test("a cluster that comes and goes keeps its owner; changes while away roll once", () =>
    atBest(() =>
      onFleet({ clusters: 3, watchers: 2, args: ["--debounce", "300ms"] }, async (fleet) => {
        const [flapping] = fleet.clusters;
        if (flapping === undefined) throw new Error("no cluster");
        const owner = (await fleet.settled()).get(flapping);
        for (let flap = 1; flap <= 10; flap += 1) {
          await goAndComeBack(flapping, flap, 1000);
          await until(
            `change ${flap} has rolled`,
            async () => (await flapping.at.rolls("Deployment", "api")) >= flap,
          );
          expect(await flapping.at.rolls("Deployment", "api")).toBe(flap);
        }
        await flapping.at.settlesAt("Deployment", "api", 10);
        expect(fleet.ownersOf(flapping)).toEqual([owner]);
      }),
    ));

  test("an owner alone loses its route: another rolls the next change in two minutes", () =>
    atBest(() =>
      onFleet({ clusters: 1, watchers: 1 }, async (fleet, [first]) => {
        const [hit] = fleet.clusters;
        if (hit === undefined) throw new Error("no cluster");
        await using route = await startFaultProxy({ target: hit.api.url });
        const owner = fleet.watcherBy(hit, route.kubeconfig(hit.name, hit.api.token));
        await owner.ready();
        await first?.stop();
        await until("it owns the cluster", () => fleet.ownersOf(hit).at(-1) === owner);
        await owner.ready();
        const other = fleet.watcher();
        await other.ready();

        route.halfOpen();
        await hit.at.change("ConfigMap", "settings", { v: "1" });
        await hit.at.settlesAt("Deployment", "api", 1, { withinMs: 2 * 60_000 });
        expect(fleet.ownersOf(hit)).toEqual([first, owner, other]);

        route.heal();
        await owner.ready();
        await hit.at.change("ConfigMap", "settings", { v: "2" });
        await hit.at.settlesAt("Deployment", "api", 2);
        await other.stop();
        await until("the first owner has it again", () => fleet.ownersOf(hit).at(-1) === owner);
        await hit.at.change("ConfigMap", "settings", { v: "3" });
        await hit.at.settlesAt("Deployment", "api", 3);
        expect(fleet.ownersOf(hit)).toEqual([first, owner, other, owner]);
      }),
    ));

  test("on a Redis Cluster in four shards a change rolls once; another number is refused", async () => {
    await using redis = await startRedisCluster();
    const args = ["--shards", "4"];
    await onFleet({ clusters: 2, watchers: 2, args, redisUrl: redis.url }, async (fleet) => {
      await fleet.settled();
      for (const round of [1, 2]) {
        for (const { at } of fleet.clusters) await at.change("ConfigMap", "settings", { v: `${round}` });
        await eachSettles(fleet, () => round);
      }
      const board = fleet.standalone();
      await board.ready();
      const started = board.log.find(({ msg }) => msg === "fleet-reloader started");
      const shown = await (await fetch(`${String(started?.queues)}/api/queues`)).text();
      for (const shard of [0, 1, 2, 3]) expect(shown).toContain(`"shard ${shard} reconcile"`);
    });
    await using other = await startSharedFleet({ clusters: 1, redisUrl: redis.url });
    const refused = other.worker();
    expect(await refused.ended).toBe(78);
    expect(refused.output()).toContain("--shards 1: this Redis is laid out for 4; give --shards 4");
  });
}

const flapMs = 20_000;
/** The longest a watch waits for a server that is away, with its jitter, and the debounce. */
const backMs = 35_000;

/**
 * Away for ten seconds of every twenty, with a change each time: too long for every run. Whether a change is seen before the
 * next one is up to the back-off of the watches, so two may be one roll; the last one is carried in any case.
 */
export function flappingTests(minutes: number): void {
  const name = `a cluster that flaps every 20 s for ${minutes} min: no change is lost, none rolls twice`;
  const story = async (fleet: SharedFleet): Promise<void> => {
    const [flapping, ...others] = fleet.clusters;
    if (flapping === undefined) throw new Error("no cluster");
    const owner = (await fleet.settled()).get(flapping);
    const flaps = (minutes * 60_000) / flapMs;
    const rolls = () => flapping.at.rolls("Deployment", "api");
    let before = 0;
    for (let flap = 1; flap <= flaps; flap += 1) {
      before = await rolls();
      await goAndComeBack(flapping, flap, flapMs / 2);
      for (const { at } of others) await at.change("ConfigMap", "settings", { v: `${flap}` });
      await passed(flapMs / 2);
    }
    await until("the last change has rolled", async () => (await rolls()) > before, backMs);
    await flapping.at.settlesAt("Deployment", "api", await rolls(), { quietMs: backMs });
    expect(await rolls()).toBeLessThanOrEqual(flaps);
    for (const { at } of others) expect(await at.rolls("Deployment", "api")).toBe(flaps);
    expect(fleet.ownersOf(flapping)).toEqual([owner]);
    process.stdout.write(`${flaps} changes while it was away: ${await rolls()} rolls\n`);
  };
  test(name, () => onFleet({ clusters: 3, watchers: 2 }, story), minutes * 60_000 + 180_000);
}

async function onFleet(
  options: {
    readonly clusters: number;
    readonly watchers: number;
    readonly args?: readonly string[];
    readonly redisUrl?: string;
  },
  story: (fleet: SharedFleet, watchers: readonly Product[]) => Promise<void>,
): Promise<void> {
  await using redis = await startRedis();
  await using fleet = await startSharedFleet({ ...options, redisUrl: options.redisUrl ?? redis.url });
  const watchers = Array.from({ length: options.watchers }, () => fleet.watcher());
  const worker = fleet.worker();
  try {
    for (const product of [...watchers, worker]) await product.ready();
    for (const { at } of fleet.clusters) await at.adopted("Deployment", "api");
    await story(fleet, watchers);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${fleet.told()}`, { cause: error });
  }
}

async function eachSettles(fleet: SharedFleet, rolls: (cluster: FleetCluster) => number): Promise<void> {
  await Promise.all(
    fleet.clusters.map((cluster) => cluster.at.settlesAt("Deployment", "api", rolls(cluster))),
  );
}

async function goAndComeBack({ api, at }: FleetCluster, change: number, awayMs: number): Promise<void> {
  await api.stop();
  api.patch("ConfigMap", at.namespace, "settings", { data: { v: `${change}` } });
  await passed(awayMs);
  await api.start();
}
