import { startProduct } from "@fleet-reloader/testkit/product";
import { test } from "vitest";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** The API server goes away: alone, since it is taken away from everybody. */
export function outageTests(world: () => World): void {
  test("the API server restarts in the middle of a change: one roll; the watch goes on", async () => {
    const at = await Site.make(world().client, "outage");
    await at.configMap("settings", { v: "0" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "1" });
    await world().restartApiServer();
    await at.settlesAt("Deployment", "api", 1);
    await product.ready();
    await at.change("ConfigMap", "settings", { v: "2" });
    await at.settlesAt("Deployment", "api", 2);
  });
}
