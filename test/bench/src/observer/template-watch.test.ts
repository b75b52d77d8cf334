import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { expectOk } from "../api/expect-ok.ts";
import { TemplateWatch } from "./template-watch.ts";

const deployment = (name: string, annotations: Record<string, string> = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default", annotations },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "app", image: "app" }] },
    },
  },
});

test("a watch that the server ends goes on where it was, and misses nothing", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const client = new ApiClient(cluster);
  const watch = new TemplateWatch();
  await watch.open(cluster);
  const noted = { "noted.example/state": "yes" };
  for (const name of ["a", "b", "c"]) {
    await expectOk("create", client.create("Deployment", deployment(name, noted), "default"));
    cluster.endWatches();
  }
  await until("all are seen", () => watch.countAnnotated("default", "noted.example/") === 3);
  const patch = { spec: { template: { metadata: { labels: { roll: "1" } } } } };
  await expectOk("roll", client.patch("Deployment", "a", patch, "default"));
  await until("the roll is seen", () => watch.rollsOf("default", "a").length === 1);
  expect([...watch.rollsIn("default").values()].map((rolls) => rolls.length)).toEqual([1, 0, 0]);
});
