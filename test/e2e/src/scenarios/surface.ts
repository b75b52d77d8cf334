import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { auto, reads, Site, at as valueAt } from "../site.ts";
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
    const completed = `${queues}/api/queues?activeQueue=reconcile&status=completed`;
    await until("the adoption is shown", async () =>
      (await (await fetch(completed)).text()).includes(`Deployment/${at.namespace}/api`),
    );
    const answer = await fetch(`${queues}/api/queues/reconcile/clean/completed`, { method: "PUT" });
    expect(answer.status).toBe(405);
  });

  test.concurrent("a watcher is ready when a worker has observed all there was; it says how far", async () => {
    const at = await Site.make(world().client, "ready");
    await using redis = await startRedis();
    await at.configMap("settings", { v: "A" });
    for (const name of ["api", "web"])
      await at.workload("Deployment", name, { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    const kubeconfig = world().kubeconfigPath;
    const args = ["--namespace", at.namespace, "--redis-url", redis.url];
    await using watcher = startProduct({ service: "watcher", kubeconfig, args });
    await watcher.inSync();
    const origin = await watcher.healthUrl();
    const ready = await fetch(`${origin}/ready`);
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringMatching(/^cluster \S+: 0 of 2 workloads observed\n$/),
    ]);
    expect((await fetch(`${origin}/live`)).status).toBe(200);
    const unreconciled = async () =>
      /^fleet_reloader_workloads_unlooked\{[^}]*\} (\d+)$/m.exec(
        await (await fetch(`${origin}/metrics`)).text(),
      )?.[1];
    expect(await unreconciled()).toBe("2");
    await using worker = startProduct({ service: "worker", kubeconfig, args });
    await watcher.ready();
    expect(await unreconciled()).toBe("0");
    expect(watcher.log.filter(({ msg }) => msg === "workloads adopted")).toMatchObject([{ count: 2 }]);
    expect(await worker.stop()).toBe(0);
  });

  // As if a defect of ours had noted a version as handled and asked for nobody.
  test.concurrent("a change that was missed is found by an audit, and rolls", () =>
    whileInTime(110_000, async (inTime) => {
      const at = await Site.make(world().client, "audit");
      await using server = await startRedis();
      await at.configMap("settings", { v: "A" });
      await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
      const kubeconfig = world().kubeconfigPath;
      const args = ["--namespace", at.namespace, "--redis-url", server.url, "--debounce", "300ms"];
      await using worker = startProduct({ service: "worker", kubeconfig, args });
      await using watcher = startProduct({ service: "watcher", kubeconfig, args });
      await watcher.ready();
      await watcher.stop();
      inTime();
      await at.change("ConfigMap", "settings", { v: "B" });
      const settings = await at.object("ConfigMap", "settings");
      await noteAsHandled(
        server.url,
        `${at.namespace}/settings`,
        String(valueAt(settings, "metadata", "resourceVersion")),
      );

      await using without = startProduct({
        ...{ service: "watcher", kubeconfig },
        args: [...args, "--audit-interval=0"],
      });
      await without.ready();
      await at.settlesAt("Deployment", "api", 0, { quietMs: 3000 });
      await without.stop();
      await using auditing = startProduct({
        ...{ service: "watcher", kubeconfig },
        args: [...args, "--audit-interval=2s"],
      });
      await auditing.ready();
      await at.settlesAt("Deployment", "api", 1, { quietMs: 5000 });
      inTime();
      // It is so young that a watch might still have shown it.
      const metrics = await (await fetch(`${await worker.healthUrl()}/metrics`)).text();
      expect(metrics).toMatch(/^fleet_reloader_audit_findings_total\{[^}]*kind="Deployment"\} 0$/m);
    }));

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

async function noteAsHandled(url: string, configMap: string, resourceVersion: string): Promise<void> {
  const redis = new Redis(url);
  const [key] = await redis.keys("*:handled:ConfigMap");
  if (key === undefined || (await redis.hexists(key, configMap)) === 0)
    throw new Error("it was never handled");
  await redis.hset(key, configMap, resourceVersion);
  redis.disconnect();
}
