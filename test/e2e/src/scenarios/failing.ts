import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { type FaultProxy, startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { passed } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";

const outageMs = 20_000;
/** One after the failure, one for each probe, and what an early failure or a second worker adds. */
const takesMax = 10;
const names = Array.from({ length: 10 }, (_, number) => `api-${number}`);

/** The API server refuses every call for a while, and the watches that are open go on. */
export function failingTests(): void {
  // The next probe comes within 5 s, or 10 s; then come the hold, the roll and the time of the machine.
  test.each([
    { status: 503, withinMs: 10_000 },
    { status: 401, withinMs: 15_000 },
  ])("a change while all is answered $status rolls soon after, once, with few tries", (outage) =>
    atBest(async () => {
      await using world = await startHub();
      const { at, proxy, workers } = world;
      proxy.answer({ status: outage.status, count: Number.POSITIVE_INFINITY });
      await at.change("ConfigMap", "settings", { v: "1" });
      await passed(outageMs);
      const takes = (await Promise.all(workers.map(takesOf))).reduce((sum, each) => sum + each);
      proxy.heal();
      const { withinMs } = outage;
      await Promise.all(names.map((name) => at.settlesAt("Deployment", name, 1, { withinMs })));
      expect(takes).toBeGreaterThan(names.length);
      expect(takes).toBeLessThan(takesMax * names.length);
    }),
  );
}

/** One watcher and two workers, each a process of its own, that reach their cluster through a proxy. */
async function startHub() {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const cluster = stack.use(await startSimCluster({ name: "sick" }));
  const proxy: FaultProxy = stack.use(await startFaultProxy({ target: cluster.url }));
  const dataDir = mkdtempSync(join(tmpdir(), "fr-failing-"));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const kubeconfig = join(dataDir, "sick.yaml");
  writeFileSync(kubeconfig, proxy.kubeconfig("sick", cluster.token), { mode: 0o600 });
  const at = await Site.make(new ApiClient({ url: cluster.url, token: cluster.token }), "failing");
  await at.configMap("settings", { v: "0" });
  for (const name of names)
    await at.workload("Deployment", name, { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  const start = (service: "watcher" | "worker"): Product =>
    stack.use(startProduct({ service, kubeconfig, dataDir, args: ["--redis-url", redis.url] }));
  const watcher = start("watcher");
  const workers = [start("worker"), start("worker")];
  for (const product of [watcher, ...workers]) await product.ready();
  for (const name of names) await at.adopted("Deployment", name);
  const kept = stack.move();
  return { at, proxy, workers, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** How often a worker took a request and did not end it: those that failed, and those that the gate put back. */
async function takesOf(worker: Product): Promise<number> {
  const metrics = await (await fetch(`${await worker.healthUrl()}/metrics`)).text();
  const parked = [...metrics.matchAll(/^fleet_reloader_requests_parked_total\{.*\} (\d+)$/gm)];
  const failed = worker.log.filter(({ msg }) => msg === "workload not reconciled").length;
  return parked.reduce((sum, [, count]) => sum + Number(count), failed);
}
