import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, at as fieldAt, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

const period = "deployment.reloader.stakater.com/pause-period";
const pausedAt = "deployment.reloader.stakater.com/paused-at";

/** A Deployment that asks to be paused after a change: one rollout for the period, and no pause that stays. */
export function pauseTests(world: () => World): void {
  const start = (site: Site, options: Partial<ProductOptions> = {}) =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      ...options,
      args: ["--namespace", site.namespace, "--debounce", "0", ...(options.args ?? [])],
    });

  async function deployment(purpose: string, periodText: string): Promise<Site> {
    const site = await Site.make(world().client, purpose);
    await site.configMap("settings", { v: "0" });
    const annotations = { ...auto, [period]: periodText };
    await site.workload("Deployment", "api", { annotations, spec: reads(["ConfigMap", "settings"]) });
    return site;
  }

  async function pauseOf(site: Site): Promise<{ readonly isPaused: boolean; readonly since: unknown }> {
    const api = await site.object("Deployment", "api");
    return {
      isPaused: fieldAt(api, "spec", "paused") === true,
      since: fieldAt(api, "metadata", "annotations", pausedAt),
    };
  }

  const isPaused = (site: Site) =>
    until("the Deployment is paused", async () => (await pauseOf(site)).isPaused);
  const isResumed = (site: Site) =>
    until("the Deployment is resumed", async () => {
      const { isPaused, since } = await pauseOf(site);
      return !isPaused && since === undefined;
    });

  async function changedAndPaused(site: Site, product: Product): Promise<void> {
    await product.ready();
    await site.adopted("Deployment", "api");
    await site.change("ConfigMap", "settings", { v: "1" });
    await isPaused(site);
  }

  test.concurrent("three changes within the period are one new ReplicaSet, when it ends", async () => {
    await whileInTime(12_000, async (inTime) => {
      const site = await deployment("pause", "15s");
      await using product = start(site);
      await product.ready();
      await site.adopted("Deployment", "api");
      inTime();
      await site.change("ConfigMap", "settings", { v: "1" });
      await isPaused(site);
      const { since } = await pauseOf(site);
      for (const v of ["2", "3"]) await site.change("ConfigMap", "settings", { v });
      const early = [await site.newReplicaSets("api"), (await pauseOf(site)).since];
      inTime();
      expect(early).toEqual([0, since]);
      await isResumed(site);
      await site.settlesAt("Deployment", "api", 1);
      expect(await site.newReplicaSets("api")).toBe(1);
    });
  });

  test.concurrent("killed within the period, and started again: the Deployment resumes", async () => {
    const site = await deployment("pause-killed", "15s");
    await using product = start(site);
    await changedAndPaused(site, product);
    product.signal("SIGKILL");
    await product.ended;
    await using again = start(site, { dataDir: product.dataDir });
    await again.ready();
    await isResumed(site);
    await site.settlesAt("Deployment", "api", 1);
  });

  // Another install, with nothing of the first but what it finds on the Deployment: as after a lost volume, or of the peer's.
  test.concurrent("whoever paused it is gone for good: the next install resumes it", async () => {
    const site = await deployment("pause-left", "15s");
    {
      await using product = start(site);
      await changedAndPaused(site, product);
      product.signal("SIGKILL");
      await product.ended;
    }
    await using other = start(site);
    await other.ready();
    await isResumed(site);
    await site.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("paused by a person: changes are written into the pause, which stays", async () => {
    const site = await deployment("pause-person", "1s");
    await using product = start(site);
    await product.ready();
    await site.adopted("Deployment", "api");
    await site.patch("Deployment", "api", { spec: { paused: true } });
    const noted = await site.note("Deployment", "api");
    await site.change("ConfigMap", "settings", { v: "1" });
    await until("the change is written", async () => (await site.note("Deployment", "api")) !== noted);
    await site.settlesAt("Deployment", "api", 0);
    expect(await pauseOf(site)).toEqual({ isPaused: true, since: undefined });
    await site.patch("Deployment", "api", { spec: { paused: null } });
    await site.settlesAt("Deployment", "api", 1);
  });
}
