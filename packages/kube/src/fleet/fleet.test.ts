import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { createGivenClusters } from "../registration/given.ts";
import { type Engaged, Fleet } from "./fleet.ts";

function engage(targets: readonly ClusterTarget[]) {
  const stop = new AbortController();
  const log = new CollectedLog();
  const engaged: Engaged[] = [];
  const fleet = new Fleet({
    providers: [createGivenClusters(targets)],
    userAgent: "test",
    clock: systemClock,
    random: () => 0,
    log,
    meter: new CountingMeter(),
    rights: () => [],
  });
  const ended = fleet.run(stop.signal, async (one) => {
    engaged.push(one);
    await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  });
  return {
    engaged,
    fleet,
    log,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

test("two contexts that lead to one cluster are one cluster, known by its own id", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const target = targetOf(cluster.kubeconfig());
  await using clusters = engage([target, { ...target, name: "the same" }]);
  await until("both have answered", () => clusters.fleet.notEngaged.length === 0);
  expect(clusters.engaged.map((one) => one.cluster)).toEqual([cluster.uid]);
  expect(clusters.fleet.get(cluster.uid)).toMatchObject({ cluster: cluster.uid });
  expect(clusters.log.messages("warn")).toEqual([
    "two registrations lead to the same cluster; it is engaged once",
  ]);
});

test("an unreachable cluster delays no other, says why, and is engaged once it answers", async () => {
  await using up = await startSimCluster({ name: "up", controllers: false });
  await using down = await startSimCluster({ name: "down", controllers: false });
  await down.stop();
  await using clusters = engage([targetOf(down.kubeconfig()), targetOf(up.kubeconfig())]);
  await until("the other is engaged", () => clusters.engaged.some(({ name }) => name === "up"));
  await until("the reason is known", () => clusters.log.messages("error").length > 0);
  expect(clusters.fleet.notEngaged).toEqual([
    expect.stringMatching(/^cluster down: cannot reach http:\/\/127\.0\.0\.1:\d+: /),
  ]);
  await down.start();
  await until("it is engaged", () => clusters.engaged.length === 2);
  expect(clusters.fleet.notEngaged).toEqual([]);
});

test("where the cluster's id may not be read its address stands for it", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  cluster.addUser("tenant", []);
  await using clusters = engage([targetOf(cluster.kubeconfig("tenant"))]);
  await until("it is engaged", () => clusters.engaged.length === 1);
  expect(clusters.engaged[0]?.cluster).toMatch(/^server-[0-9a-f]{32}$/);
});
