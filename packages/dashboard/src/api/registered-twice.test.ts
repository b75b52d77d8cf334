import type { ClusterOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { expect, test } from "vitest";
import type { Caller } from "../access/caller.ts";
import { actingFleet, admin, callerWith } from "../fixture/acting-fleet.ts";
import { overviewOf, startServedFleet } from "../fixture/served-fleet.ts";

/** A dashboard on which a person acts. Its one cluster has two workloads and is registered under two names. */
async function startTwice(caller: Caller = admin) {
  const fleet = actingFleet(caller);
  const again: ClusterOverview = {
    ...overviewOf("nova-again"),
    id: "uid-nova",
    status: { state: "Alias", why: ["it is the cluster nova"] },
  };
  const overview = { ...fleet.overview, clusters: async () => [again, overviewOf("nova")] };
  const acts = { ...fleet.acts, fleet: { ...fleet.acts.fleet, overview } };
  const served = await startServedFleet({ acts, overview });
  const json = { "content-type": "application/json" };
  return {
    added: fleet.added,
    ask: async (path: string) => JSON.parse((await served.ask(path)).body),
    act: async (name: string, body: object) =>
      JSON.parse((await served.ask(`/api/v1/acts/${name}`, json, "POST", JSON.stringify(body))).body),
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

test("the workloads of a cluster that is registered twice count once", async () => {
  await using twice = await startTwice();
  const status = await twice.ask("/api/v1/status");
  expect(status.clusters).toMatchObject({ count: 2, workloads: 2 });
  expect(await twice.ask("/api/v1/clusters")).toMatchObject({ count: 2 });
  for (const query of ["", "?cluster=uid-nova", "?namespace=shop"]) {
    const managed = await twice.ask(`/api/v1/workloads${query}`);
    expect(managed).toMatchObject({ count: 2, clusterCount: 1 });
    expect(managed.workloads.map(({ cluster }: { cluster: string }) => cluster)).toEqual(["nova", "nova"]);
  }
});

test("an act means each workload of a cluster that is registered twice once", async () => {
  await using twice = await startTwice();
  const api = { object: "Deployment/api", reason: "incident 4711" };
  expect(await twice.act("retry", { ...api, dryRun: true })).toMatchObject({
    count: 1,
    workloads: [{ cluster: "nova" }],
  });
  expect(await twice.act("retry", { ...api, expect: 1, batch: 1 })).toMatchObject({ isDone: true });
  expect(twice.added).toHaveLength(1);
  expect(await twice.act("freeze", { fleet: true, dryRun: true })).toMatchObject({
    count: 2,
    covers: "it covers 2 workloads of 1 cluster: nova",
  });
});

test("a cluster is still found by the other name that it is registered under", async () => {
  await using twice = await startTwice();
  expect(await twice.ask("/api/v1/workloads?cluster=nova-again")).toMatchObject({ count: 2 });
  const dryRun = { object: "Deployment/api", cluster: "nova-again", dryRun: true };
  expect(await twice.act("retry", dryRun)).toMatchObject({ count: 1 });
});

test.each([
  ["nova", 1],
  ["nova-again", undefined],
])("a grant on %s lets %s act on the cluster that nova serves", async (granted, count) => {
  const caller = callerWith("bob", [{ role: "operator", cluster: granted, namespace: "shop" }]);
  await using twice = await startTwice(caller);
  for (const cluster of ["nova", "nova-again", "uid-nova"]) {
    const dryRun = { object: "Deployment/api", cluster, namespace: "shop", dryRun: true };
    expect([cluster, (await twice.act("retry", dryRun)).count]).toEqual([cluster, count]);
  }
});
