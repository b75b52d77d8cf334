import type { Clock } from "@fleet-reloader/engine/async/clock";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { engagedCluster } from "../fixture/engaged-cluster.ts";
import { watchingOf } from "../fixture/watching-of.ts";

const hourMs = 3_600_000;

function namespace(name: string, labels: Readonly<Record<string, string>> = {}) {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** Watches a cluster with these flags. Hours pass when the test says so. */
async function watched(args: readonly string[], prepare: (cluster: SimCluster) => void, user?: string) {
  const cluster = await startSimCluster({ controllers: false });
  const redis = await startRedis();
  prepare(cluster);
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  let hours: (() => void)[] = [];
  const nextHour = () => new Promise<void>((resolve) => hours.push(resolve));
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) =>
      ms === hourMs
        ? Promise.race([nextHour(), systemClock.sleep(ms, signal)])
        : systemClock.sleep(ms, signal),
  };
  const watching = watchingOf({ clock, client, log }, args);
  return {
    cluster,
    log,
    warnings: () => log.messages("warn"),
    /** Watches until the returned function is called. */
    async engage() {
      const { connection, engaged, synced } = engagedCluster(cluster.kubeconfig(user));
      const lifetime = new AbortController();
      const running = watching.watch(engaged, lifetime.signal);
      await synced;
      // The named namespaces were asked for when it waits for the next hour.
      if (!args.includes("--namespace-selector")) await until("it waits an hour", () => hours.length > 0);
      return async () => {
        lifetime.abort();
        await running;
        hours = [];
        await connection.close();
      };
    },
    async hourPasses() {
      for (const wake of hours.splice(0)) wake();
      await until("it waits an hour", () => hours.length > 0);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await redis[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test("a namespace that does not exist is warned of with the flag and the mend", async () => {
  await using bed = await watched(["--namespaces", "shop,nope"], (cluster) => {
    cluster.apply(namespace("shop"));
  });
  const end = await bed.engage();
  expect(bed.warnings()).toEqual([
    "--namespaces shop,nope: there is no namespace nope, so nothing is watched there; create it, and it is served from then on, or correct the name",
  ]);
  await end();
});

test("an absent namespace is warned of once while it lasts, and anew when it goes", async () => {
  await using bed = await watched(["--namespace", "shop"], () => undefined);
  await (await bed.engage())();
  const end = await bed.engage();
  await bed.hourPasses();
  expect(bed.warnings()).toHaveLength(1);
  bed.cluster.apply(namespace("shop"));
  await bed.hourPasses();
  bed.cluster.remove("Namespace", "", "shop");
  await until("it is gone", () => bed.cluster.get("Namespace", "", "shop") === undefined);
  await bed.hourPasses();
  expect(bed.warnings()).toHaveLength(2);
  await end();
});

test("with the rights of a Role no namespace is asked for", async () => {
  const prepare = (cluster: SimCluster) => {
    const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["shop"] };
    cluster.addUser("limited", [rule]);
  };
  await using bed = await watched(["--namespace", "shop"], prepare, "limited");
  const end = await bed.engage();
  expect(bed.warnings()).toEqual([]);
  // It says so where an API server refuses it.
  expect(bed.log.messages("debug")).not.toContain("namespaces unknown");
  await end();
});

test("a selector that selects no namespace is warned of once while it lasts", async () => {
  await using bed = await watched(["--namespace-selector", "team=web"], (cluster) => {
    cluster.apply(namespace("shop"));
  });
  await (await bed.engage())();
  const end = await bed.engage();
  expect(bed.warnings()).toEqual([
    "--namespace-selector team=web: it selects no namespace that is served, so nothing is watched; label a namespace, and it is served from then on, or correct the selector",
  ]);
  await end();
});

test("of a selector that selects a namespace nothing is said", async () => {
  await using bed = await watched(["--namespace-selector", "team=web"], (cluster) => {
    cluster.apply(namespace("shop", { team: "web" }));
  });
  const end = await bed.engage();
  expect(bed.warnings()).toEqual([]);
  await end();
});
