import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads } from "../site.ts";
import { historyOf } from "./history.ts";

/** Of new pods that do not run; a real control plane without nodes has none that say why. */
export function followTests(): void {
  test("a pod that lacks a key is named before the deadline; a good rollout is healthy", () =>
    atBest(async () => {
      await using cluster = await startSimCluster({ name: "pods" });
      const directory = mkdtempSync(join(tmpdir(), "fr-follow-"));
      const kubeconfig = join(directory, "kubeconfig");
      writeFileSync(kubeconfig, cluster.kubeconfig());
      cluster.apply(configMap("a"));
      for (const name of ["good", "bad"]) cluster.apply(deployment(name));
      await using product = startProduct({ kubeconfig, args: ["--debounce", "0"] });
      await product.ready();
      const isNoted = (name: string) =>
        JSON.stringify(cluster.get("Deployment", "shop", name)).includes("fleet-reloader.io/carried-");
      await until("both are adopted", () => ["good", "bad"].every(isNoted));
      cluster.stallRollout("Deployment", "shop", "bad");
      cluster.apply(configMap("b"));
      await until("both are rolled", () =>
        ["good", "bad"].every((name) => cluster.templateChanges("Deployment", "shop", name) === 1),
      );
      cluster.apply({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "bad-new-1",
          namespace: "shop",
          labels: { app: "bad", "pod-template-hash": "new" },
        },
        spec: { containers: [{ name: "app", image: "app:1" }] },
      });
      const waiting = {
        reason: "CreateContainerConfigError",
        message: "couldn't find key v in ConfigMap shop/settings",
      };
      const status = { containerStatuses: [{ name: "app", state: { waiting } }] };
      cluster.patch("Pod", "shop", "bad-new-1", { status }, { subresource: "status" });

      const outcomes = async () => (await historyOf(product)).filter(({ type }) => type === "outcome");
      const both = await until("both have ended", async () => {
        const found = await outcomes();
        return found.length === 2 ? found : undefined;
      });
      expect(both).toMatchObject([
        { workload: { name: "good" }, result: "healthy", reason: "Available" },
        {
          workload: { name: "bad" },
          result: "failed",
          reason: "CreateContainerConfigError",
          message: `container app of pod bad-new-1: ${waiting.message}`,
        },
      ]);
      // The second of its end is the cluster's, not that of the look five seconds later.
      expect(Number(both[0]?.seconds)).toBeLessThan(4);
      expect(Number(both[1]?.seconds)).toBeGreaterThanOrEqual(15);
      rmSync(directory, { recursive: true });
    }));
}

function configMap(v: string): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "shop" },
    data: { v },
  };
}

function deployment(name: string): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "shop", annotations: auto },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: reads(["ConfigMap", "settings"]) },
    },
  };
}
