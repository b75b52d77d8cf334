import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { passed } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";

const named = "configmap.reloader.stakater.com/reload";
const configMaps = 3_000;
/** Each is accepted, and costs about a millisecond for a name of the longest. */
const costlyPatterns = Array.from({ length: 5_000 }, (_, at) => `[a-z0-9]{180}.*x${at}`).join(",");
/** What the issue promises: beside a tenant with costly patterns a change takes no more than so many times as long as without. */
const slowerMax = 1.5;
/** And a probe is answered within a second. */
const silentMaxMs = 1000;
const rounds = 2;

/** One tenant's patterns cost others nothing (I5). */
export function costlyTests(): void {
  test("costly patterns over thousands of names slow no cluster, workload or probe", () =>
    atBest(async () => {
      await using costly = await startSimCluster({ name: "costly" });
      await using quiet = await startSimCluster({ name: "quiet" });
      const folder = mkdtempSync(join(tmpdir(), "fr-costly-"));
      for (const cluster of [costly, quiet])
        writeFileSync(join(folder, `${cluster.name}.kubeconfig`), cluster.kubeconfig(), { mode: 0o600 });
      try {
        const bystanders = [await bystander(costly), await bystander(quiet)];
        const tenant = await Site.make(clientOf(costly), "tenant");
        const set = (name: string, v: string) =>
          costly.apply({
            ...{ apiVersion: "v1", kind: "ConfigMap" },
            ...{ metadata: { name, namespace: tenant.namespace }, data: { v } },
          });
        for (let each = 0; each < configMaps; each += 1) set(`config-of-the-tenant-number-${each}`, "0");
        await using product = startProduct({
          kubeconfig: "",
          args: ["--kubeconfig-dir", folder, "--allow-loopback-http"],
        });
        await product.ready();
        for (const at of bystanders) await at.adopted("Deployment", "api");
        const without = await latencies(bystanders, 0);
        const probes = probing(product);
        const workload = (name: string, patterns: string) =>
          tenant.workload("Deployment", name, { annotations: { [named]: patterns }, spec: reads() });
        await workload("costly", costlyPatterns);
        await workload("wide", "config-of-.*");
        const beside = await latencies(bystanders, rounds);
        await tenant.adopted("Deployment", "wide");
        set("config-of-the-tenant-number-7", "1");
        await tenant.settlesAt("Deployment", "wide", 1);
        const longestSilenceMs = await probes.end();
        for (const [at, ms] of beside.entries()) expect(ms).toBeLessThan(slowerMax * (without[at] ?? 0));
        expect(longestSilenceMs).toBeLessThan(silentMaxMs);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }));
}

function clientOf({ url, token }: SimCluster): ApiClient {
  return new ApiClient({ url, token });
}

async function bystander(cluster: SimCluster): Promise<Site> {
  const at = await Site.make(clientOf(cluster), "bystander");
  await at.configMap("settings", { v: "first" });
  await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  return at;
}

/** How long a change takes to be rolled at each, at best: one of a few may meet whatever else the machine does. */
async function latencies(sites: readonly Site[], rolledBefore: number): Promise<readonly number[]> {
  const best = sites.map(() => Number.POSITIVE_INFINITY);
  for (let round = 1; round <= rounds; round += 1) {
    const rolls = rolledBefore + round;
    const took = await Promise.all(
      sites.map(async (at) => {
        await at.change("ConfigMap", "settings", { v: String(rolls) });
        const changedAt = performance.now();
        await at.settlesAt("Deployment", "api", rolls, { quietMs: 0 });
        return performance.now() - changedAt;
      }),
    );
    for (const [at, ms] of took.entries()) best[at] = Math.min(best[at] ?? ms, ms);
  }
  return best;
}

/** Asks `/live` again and again. Answers how long the longest answer took. */
function probing(product: Product): { readonly end: () => Promise<number> } {
  let isOver = false;
  const probed = (async () => {
    const url = `${await product.healthUrl()}/live`;
    let longestMs = 0;
    while (!isOver) {
      const askedAt = performance.now();
      await (await fetch(url)).text();
      longestMs = Math.max(longestMs, performance.now() - askedAt);
      await passed(50);
    }
    return longestMs;
  })();
  return {
    end: async () => {
      isOver = true;
      return await probed;
    },
  };
}
