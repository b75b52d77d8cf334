import { startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { followConfigMaps } from "../fixture/followed-collection.ts";

const configMap = (value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "first", namespace: "shop" },
  data: { value },
});

test("an outage is one warning for each fault, and the next outage is another", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  cluster.failNext({ verb: "list", resource: "configmaps", status: 500, count: 3 });
  cluster.failNext({ verb: "watch", resource: "configmaps", status: 429, count: 2 });
  await using followed = followConfigMaps(cluster.kubeconfig());
  const isOpen = () => cluster.openWatches === 1;
  await until("the watch is open", isOpen);
  const warnings = () => followed.log.lines.filter(({ level }) => level === "warn").map(reasonOf);
  expect(warnings()).toEqual(["kube.server-error", "kube.throttled"]);
  expect(followed.log.messages("debug")).toEqual(Array(3).fill("watch interrupted"));
  cluster.apply(configMap("1"));
  await until("an event has come", () => followed.view.size === 1);
  cluster.failNext({ verb: "watch", resource: "configmaps", status: 500, count: 2 });
  cluster.endWatches();
  await until("it has failed twice", () => followed.log.lines.length === 7);
  expect(warnings()).toEqual(["kube.server-error", "kube.throttled", "kube.server-error"]);
});

test("a server that is back is asked at once, however long the back-off", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using proxy = await startFaultProxy({ target: cluster.url });
  const timings = { backoffMs: 900_000, backoffMaxMs: 900_000 };
  await using followed = followConfigMaps(proxy.kubeconfig("sim", cluster.token), { timings });
  await until("the watch is open", () => proxy.openStreams === 1);
  proxy.refuse();
  proxy.resetConnections();
  await until("it waits", () => followed.states.at(-1)?.startsWith("backoff"));
  proxy.heal();
  followed.serverIsBack();
  await until("the watch is open again", () => proxy.openStreams === 1);
});

function reasonOf({ fields }: { readonly fields: object }): unknown {
  return "reason" in fields ? fields.reason : undefined;
}
