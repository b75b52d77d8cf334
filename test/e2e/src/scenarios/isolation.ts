import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { patienceMs, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";

/** More than a worker handles at once of one cluster: whoever waits behind them waits for a dead cluster. */
const sickWorkloads = 60;
/** Quiet period, and what a machine takes: without isolation it is that of ten-second timeouts, one after the other. */
const promptMs = 8000;
/** On a machine so busy that a roll takes seconds with no cluster hanging, prompt is so many times as long. */
const promptTimes = 3;

/** A cluster fails alone (invariant I5). */
export function isolationTests(): void {
  test("one of three clusters hangs: the others roll promptly, its own once it is back", () =>
    atBest(async () => {
      await using sick = await startSimCluster({ name: "sick" });
      await using one = await startSimCluster({ name: "one" });
      await using two = await startSimCluster({ name: "two" });
      await using proxy = await startFaultProxy({ target: sick.url });
      const folder = mkdtempSync(join(tmpdir(), "fr-isolation-"));
      const register = (name: string, kubeconfig: string) =>
        writeFileSync(join(folder, `${name}.kubeconfig`), kubeconfig, { mode: 0o600 });
      register("sick", proxy.kubeconfig("sick", sick.token));
      register("one", one.kubeconfig());
      register("two", two.kubeconfig());
      const names = Array.from({ length: sickWorkloads }, (_, number) => `api-${number}`);
      const atSick = await populate(sick, names);
      const healthy = [await populate(one, ["api"]), await populate(two, ["api"])];
      try {
        await using product = startProduct({
          kubeconfig: "",
          args: ["--kubeconfig-dir", folder, "--allow-loopback-http"],
        });
        await product.ready();
        await Promise.all(names.map((name) => atSick.adopted("Deployment", name)));
        for (const at of healthy) await at.adopted("Deployment", "api");

        const calmMs = await rollsAll(healthy, 1, undefined);
        const withinMs = Math.max(promptMs, promptTimes * calmMs);
        await atSick.change("ConfigMap", "settings", { v: "1" });
        await measures(product, /requests_published_total\{cluster="sick"\} (6\d|[7-9]\d|\d{3,})$/m);
        proxy.halfOpen();
        for (const round of [2, 3, 4]) await rollsAll(healthy, round, withinMs);
        await atSick.change("ConfigMap", "settings", { v: "2" });
        await measures(product, /cluster_state\{cluster="sick",state="Unreachable"\} 1$/m);
        await measures(product, /requests_parked_total\{cluster="sick",reason="\w+"\} [1-9]/m);

        proxy.heal();
        await measures(product, /cluster_state\{cluster="sick",state="Ready"\} 1$/m);
        await Promise.all(names.map((name) => atSick.settlesAt("Deployment", name, 1, { quietMs: 0 })));
        // Whatever else came back has looked and found nothing to do.
        await atSick.settlesAt("Deployment", "api-0", 1);
        const rolls = names.map((name) => sick.templateChanges("Deployment", atSick.namespace, name));
        expect(rolls).toEqual(names.map(() => 1));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }));
}

async function populate(cluster: SimCluster, names: readonly string[]): Promise<Site> {
  const at = await Site.make(new ApiClient({ url: cluster.url, token: cluster.token }), "isolation");
  await at.configMap("settings", { v: "0" });
  for (const name of names)
    await at.workload("Deployment", name, { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  return at;
}

/** Changes the source of each, and returns after how many milliseconds all had so many rolls. */
async function rollsAll(sites: readonly Site[], rolls: number, withinMs = patienceMs): Promise<number> {
  const beganAt = performance.now();
  for (const at of sites) await at.change("ConfigMap", "settings", { v: String(rolls) });
  for (const at of sites) await at.settlesAt("Deployment", "api", rolls, { withinMs, quietMs: 200 });
  return performance.now() - beganAt;
}

async function measures(product: Product, line: RegExp): Promise<void> {
  const url = `${await product.healthUrl()}/metrics`;
  await until(`the metrics say ${line}`, async () => line.test(await (await fetch(url)).text()));
}
