import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { publishMetaInfo } from "./meta-info.ts";

async function startWorld() {
  const cluster = await startSimCluster({ controllers: false });
  cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "reloader" } });
  cluster.addUser("us");
  const connection = new Connection({
    target: targetOf(cluster.kubeconfig("us")),
    clock: systemClock,
    userAgent: "t",
  });
  const log = new CollectedLog();
  return {
    cluster,
    log,
    publish: (version: string, namespace = "reloader") =>
      publishMetaInfo({
        ...{ connection, namespace, log, clock: systemClock },
        content: { buildInfo: JSON.stringify({ releaseVersion: version }) },
        signal: new AbortController().signal,
      }),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test("it is made, or replaces what an earlier start left, with the role's rights", async () => {
  await using world = await startWorld();
  world.cluster.setRules("us", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "update"] }]);
  await world.publish("1");
  await world.publish("2");
  expect(world.log.lines).toEqual([]);
  expect(world.cluster.get("ConfigMap", "reloader", "reloader-meta-info")).toMatchObject({
    metadata: { labels: { "reloader.stakater.com/meta-info": "reloader" } },
    data: { buildInfo: '{"releaseVersion":"2"}' },
  });
});

test("a missing right and a missing namespace are warnings", async () => {
  await using world = await startWorld();
  await world.publish("1", "nowhere");
  world.cluster.setRules("us", []);
  await world.publish("1");
  expect(world.log.messages("warn")).toHaveLength(2);
  expect(world.log.text).toContain("nowhere");
  expect(world.log.text).toContain("cannot update resource");
});
