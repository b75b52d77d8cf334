import { atBest } from "@fleet-reloader/testkit/in-time";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { type SharedFleet, startSharedFleet } from "../shared-fleet.ts";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** The default quiet period of two seconds, and the roll. */
const rolledMs = 6000;
/** Promised after the worst of faults: the start of the next process, or the end of its patience with a silent one, and the roll. */
const recoveredMs = 15_000;
/** What a person tries in ten minutes, one change after the other. The quiet period is short, the brakes are as shipped. */
const changesByHand = 40;
const quietMs = 200;
/** Promised after the quiet period. */
const heldMaxMs = 10_000;
/** One beat, and not the five seconds after which a silent owner is given up. */
const handedOverMs = 5000;

/** How soon what happens happens. Nothing else runs beside it. */
export function promptnessTests(world: () => World): void {
  async function measured(story: () => Promise<void>): Promise<number> {
    const from = performance.now();
    await story();
    return performance.now() - from;
  }

  async function adoptedSite(
    purpose: string,
    flags: readonly string[] = [],
  ): Promise<readonly [Site, Product]> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "0" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    const args = ["--namespace", at.namespace, ...flags];
    const product = startProduct({ kubeconfig: world().kubeconfigPath, args });
    await product.ready();
    await at.adopted("Deployment", "api");
    return [at, product];
  }

  test("S8: pods are replaced within seconds of a change", () =>
    atBest(async () => {
      const [at, product] = await adoptedSite("prompt");
      await using _ = product;
      const ms = await measured(async () => {
        await at.change("ConfigMap", "settings", { v: "1" });
        await until("a new ReplicaSet", async () => (await at.newReplicaSets("api")) === 1);
      });
      expect(ms).toBeLessThan(rolledMs);
    }));

  test("no brake as shipped holds forty changes by hand, one after the other", () =>
    atBest(async () => {
      const [at, product] = await adoptedSite("by-hand", [`--debounce=${quietMs}ms`]);
      await using _ = product;
      for (let change = 1; change <= changesByHand; change += 1) {
        await at.change("ConfigMap", "settings", { v: String(change) });
        const withinMs = quietMs + heldMaxMs;
        await at.settlesAt("Deployment", "api", change, { withinMs, quietMs: 0 });
      }
    }));

  test("a change is rolled soon after the whole product was killed", () =>
    atBest(async () => {
      const [at, product] = await adoptedSite("prompt-killed");
      await using killed = product;
      await at.change("ConfigMap", "settings", { v: "1" });
      killed.signal("SIGKILL");
      await killed.ended;
      const args = ["--namespace", at.namespace];
      const { dataDir } = killed;
      const ms = await measured(async () => {
        await using again = startProduct({ kubeconfig: world().kubeconfigPath, dataDir, args });
        await again.ready();
        await until("it is rolled", async () => (await at.rolls("Deployment", "api")) === 1);
      });
      expect(ms).toBeLessThan(recoveredMs);
    }));

  /** The owner of a cluster is ended like this: how long it takes until another owns it. */
  async function handOver(end: (owner: Product) => Promise<unknown>): Promise<number> {
    await using redis = await startRedis();
    await using fleet: SharedFleet = await startSharedFleet({ clusters: 2, redisUrl: redis.url });
    const products = [fleet.watcher(), fleet.watcher(), fleet.worker()];
    for (const product of products) await product.ready();
    const [owner] = (await fleet.settled()).values();
    if (owner === undefined) throw new Error("nobody has a cluster");
    return await measured(async () => {
      await end(owner);
      await fleet.settled();
    });
  }

  test("the clusters of a watcher that is killed are watched by another soon", () =>
    atBest(async () => {
      const killed = async (owner: Product) => {
        owner.signal("SIGKILL");
        await owner.ended;
      };
      expect(await handOver(killed)).toBeLessThan(recoveredMs);
    }));

  test("the clusters of a watcher that is stopped are watched by another at once", () =>
    atBest(async () => {
      expect(await handOver((owner) => owner.stop())).toBeLessThan(handedOverMs);
    }));
}
