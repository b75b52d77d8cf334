import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { expect, test } from "vitest";
import type { ClusterOverview, ManagedWorkload } from "./fleet-overview.ts";
import { freezesInForce } from "./freezes-in-force.ts";

function overviewOf(name: string, workloads = 1): ClusterOverview {
  const counts = { workloads, unobserved: 0, rollouts: 0 };
  return { name, id: `uid-${name}`, labels: {}, status: undefined, watcher: undefined, ...counts };
}

const api: ManagedWorkload = {
  ref: { kind: "Deployment", namespace: "shop", name: "api" },
  templateOwner: { kind: "Deployment", namespace: "shop", name: "base" },
  sources: ["ConfigMap/shop/settings"],
  patterns: [["Secret", "db-.*"]],
};

/** What is missing of each freeze, and which clusters were read for it. */
async function missingOf(scopes: readonly FreezeScope[], clusters = [overviewOf("nova")]) {
  const read: string[] = [];
  const managed = async (id: string) => {
    read.push(id);
    return [api];
  };
  const freezes = scopes.map((scope) => ({ scope, reason: "release", by: "ann" }));
  const told = await freezesInForce(freezes, { clusters, managed, nowMs: 0 });
  return { missing: told.map(({ missing }) => missing), read };
}

const [deployment, configMap, secret] = ["Deployment", "ConfigMap", "Secret"] as const;

test.each<[FreezeScope, string | undefined]>([
  [{ namespace: "shopp" }, "no workload of namespace shopp is reloaded; did you mean shop?"],
  [{ namespace: "shop" }, undefined],
  [
    { workload: { kind: deployment, name: "apo" } },
    "no Deployment/apo is reloaded; did you mean Deployment/api?",
  ],
  [{ workload: { kind: deployment, name: "api" } }, undefined],
  [{ workload: { kind: deployment, name: "base" } }, undefined],
  [
    { source: { kind: configMap, name: "setting" } },
    "nothing that is reloaded uses ConfigMap/setting; did you mean ConfigMap/settings?",
  ],
  [{ source: { kind: configMap, name: "settings" } }, undefined],
  // A pattern may match it.
  [{ source: { kind: secret, name: "other" } }, undefined],
  [{ cluster: "Nova", namespace: "shop" }, "no cluster is called Nova; did you mean nova?"],
])("of a freeze of %j it is told what is missing", async (scope, missing) => {
  expect(await missingOf([scope])).toMatchObject({ missing: [missing] });
});

test("a cluster is read once for all freezes, and not for a freeze of clusters", async () => {
  expect((await missingOf([{ namespace: "a" }, { namespace: "b" }])).read).toEqual(["uid-nova"]);
  expect((await missingOf([{ cluster: "nova" }, {}])).read).toEqual([]);
});

test("freezes are compared with 2000 workloads; of other freezes nothing is told", async () => {
  const clusters = [overviewOf("nova", 1100), overviewOf("ceres", 1000)];
  const none = "no workload of namespace a is reloaded";
  const [whole, nova] = [{ namespace: "a" }, { cluster: "nova", namespace: "a" }];
  expect(await missingOf([whole, nova, nova], clusters)).toEqual({
    missing: [undefined, none, undefined],
    read: ["uid-nova"],
  });
});

test("of a cluster whose first lists may be under way nothing is told", async () => {
  const missingRights = { missingRights: [], missingRightCount: 0 };
  const report = { status: undefined, streams: 3, behindCount: 1, behind: [], behindSinceMs: 1 };
  const listing = { ...overviewOf("nova", 0), report: { ...report, ...missingRights } };
  expect(await missingOf([{ namespace: "a" }], [listing])).toEqual({ missing: [undefined], read: [] });
});

test("a cluster that has not answered is not asked for its workloads", async () => {
  const silent = { ...overviewOf("nova", 0), id: undefined };
  const missing = ["no workload is reloaded there"];
  expect(await missingOf([{ namespace: "a" }], [silent])).toEqual({ missing, read: [] });
});
