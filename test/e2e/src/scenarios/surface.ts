import { startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** What the process shows to people and probes. */
export function surfaceTests(world: () => World): void {
  test.concurrent("the queue dashboard shows what was done and cannot be used to change it", async () => {
    const at = await Site.make(world().client, "dashboard");
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    const started = await until("it has started", () =>
      product.log.find((line) => line.msg === "fleet-reloader started"),
    );
    const queues = String(started.queues);
    const page = await fetch(queues);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<html");
    const shown = await (await fetch(`${queues}/api/queues?activeQueue=reconcile&status=completed`)).text();
    expect(shown).toContain(`Deployment/${at.namespace}/api`);
    const answer = await fetch(`${queues}/api/queues/reconcile/clean/completed`, { method: "PUT" });
    expect(answer.status).toBe(405);
  });

  test.concurrent("metrics say what happened, by cluster and closed sets, never by name", async () => {
    const at = await Site.make(world().client, "metrics");
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace, "--debounce", "0"],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.settlesAt("Deployment", "api", 1, { quietMs: 500 });
    const metrics = await (await fetch(`${await product.healthUrl()}/metrics`)).text();
    expect(metrics).toMatch(/fleet_reloader_rolls_total\{[^}]*kind="Deployment",reason="SourceChanged"\} 1/);
    expect(metrics).toMatch(/reloader_reload_executed_total\{success="true"\} 1/);
    expect(metrics).not.toContain(at.namespace);
    expect(await product.stop()).toBe(0);
  });
}
