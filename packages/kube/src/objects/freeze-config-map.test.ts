import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { FreezeConfigMap } from "./freeze-config-map.ts";

async function startWorld() {
  const cluster = await startSimCluster({ controllers: false });
  cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "hub" } });
  cluster.addUser("us");
  const connection = new Connection({
    target: targetOf(cluster.kubeconfig("us")),
    clock: systemClock,
    userAgent: "t",
  });
  const signal = new AbortController().signal;
  return {
    cluster,
    map: new FreezeConfigMap({ connection, signal, namespace: "hub", name: "freezes" }),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

const rights = (...verbs: readonly string[]) => [
  { apiGroups: [""], resources: ["configmaps"], verbs: [...verbs] },
];

test("one that is not there says nothing, and is made by the first write", async () => {
  await using world = await startWorld();
  world.cluster.setRules("us", rights("get", "create", "patch"));
  expect(await world.map.text()).toBeUndefined();
  await world.map.write((before) => `first after ${before}`);
  await world.map.write((before) => `second after ${before}`);
  expect(await world.map.text()).toBe("second after first after undefined");
});

test("two who write at the same time take turns, and neither is lost", async () => {
  await using world = await startWorld();
  world.cluster.setRules("us", rights("get", "create", "patch"));
  await world.map.write(() => "0");
  await Promise.all([1, 2, 3].map((n) => world.map.write((before) => `${before}${n}`)));
  expect([...((await world.map.text()) ?? "")].sort().join("")).toBe("0123");
});

test("without the right to read it, and without the key, nobody can tell", async () => {
  await using world = await startWorld();
  world.cluster.setRules("us", []);
  await expect(world.map.text()).rejects.toMatchObject({ code: "kube.forbidden" });
  world.cluster.setRules("us", rights("get"));
  world.cluster.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "hub", name: "freezes" },
    data: {},
  });
  await expect(world.map.text()).rejects.toThrow("it has no freezes.yaml under data");
});
