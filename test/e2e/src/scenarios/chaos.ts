import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { passed, until } from "@fleet-reloader/testkit/until";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { auto, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";

/** Faults at every point of a change: exactly one roll, and soon. Each test has a product and a Redis of its own. */
export function chaosTests(world: () => World): void {
  // Each in its own namespace: installs with different keys on the same workloads would roll them once each.
  const startIn = (at: Site, options: Omit<ProductOptions, "kubeconfig"> = {}) =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      ...options,
      args: ["--namespace", at.namespace, "--log-level", "debug", ...(options.args ?? [])],
    });

  /** Side by side with the others. A fault that is not survived is told with all that the products said. */
  function survives(name: string, story: (start: typeof startIn) => Promise<void>): void {
    test.concurrent(name, async () => {
      const products: Product[] = [];
      const start: typeof startIn = (at, options) => {
        const product = startIn(at, options);
        products.push(product);
        return product;
      };
      try {
        await story(start);
      } catch (error) {
        const told = products.map((product) => `process ${product.pid}:\n${product.output()}`);
        throw new Error(`${error instanceof Error ? error.message : error}\n${told.join("\n")}`, {
          cause: error,
        });
      }
    });
  }

  async function deployment(purpose: string): Promise<Site> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "0" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    return at;
  }

  survives(
    "a change made while everything is down rolls once at the start; without one nothing rolls",
    async (start) => {
      const at = await deployment("down");
      await using first = start(at);
      await first.ready();
      await at.adopted("Deployment", "api");
      expect(await first.stop()).toBe(0);
      {
        await using again = start(at, { dataDir: first.dataDir });
        await again.ready();
        await at.settlesAt("Deployment", "api", 0, { quietMs: 4000 });
      }
      await at.change("ConfigMap", "settings", { v: "1" });
      await using last = start(at, { dataDir: first.dataDir });
      await last.ready();
      await at.settlesAt("Deployment", "api", 1);
    },
  );

  survives(
    "a change made while everything is down, and all that Redis knew is lost too: one roll",
    async (start) => {
      const at = await deployment("down-flushed");
      await using first = start(at);
      await first.ready();
      await at.adopted("Deployment", "api");
      const key = readFileSync(join(first.dataDir, "mark.key"), "utf8");
      await first.stop();
      await at.change("ConfigMap", "settings", { v: "1" });
      await using last = start(at, { prepare: (dataDir) => writeKey(dataDir, key) });
      await last.ready();
      await at.settlesAt("Deployment", "api", 1);
    },
  );

  survives(
    "Redis flushed in the middle of a change: one roll; flushed without a change: none",
    async (start) => {
      const at = await deployment("flush");
      await using product = start(at, { args: ["--debounce", "8s"] });
      await product.ready();
      await at.adopted("Deployment", "api");
      await using redis = connect(product);
      await at.change("ConfigMap", "settings", { v: "1" });
      await until(
        "the change waits in the queue",
        async () => (await redis.client.keys("*reconcile:delayed")).length > 0,
      );
      await redis.client.flushall();
      await at.settlesAt("Deployment", "api", 1, unhurried);
      await redis.client.flushall();
      await at.settlesAt("Deployment", "api", 1, unhurried);
      await product.ready();
    },
  );

  survives("Redis killed in the middle of a change: one roll", async (start) => {
    const at = await deployment("redis-killed");
    await using product = start(at);
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "1" });
    process.kill(Number(readFileSync(join(product.dataDir, "redis.pid"), "utf8")), "SIGKILL");
    await at.settlesAt("Deployment", "api", 1);
    await product.ready();
  });

  // Before, in and after the debounce; around 2 s the kill hits the read, the write, or what follows it.
  for (const afterMs of [0, 300, 1990, 2005, 2015, 2030, 2100]) {
    survives(`the whole product killed ${afterMs} ms after a change: one roll`, async (start) => {
      const at = await deployment(`killed-${afterMs}`);
      await using product = start(at);
      await product.ready();
      await at.adopted("Deployment", "api");
      await at.change("ConfigMap", "settings", { v: "1" });
      await passed(afterMs);
      product.signal("SIGKILL");
      await product.ended;
      await using again = start(at, { dataDir: product.dataDir });
      await again.ready();
      await at.settlesAt("Deployment", "api", 1);
    });
  }

  survives(
    "watchers and workers apart, two of each: one killed or frozen in the middle of a change, one roll each",
    async (start) => {
      const at = await deployment("apart");
      await using server = await startRedis();
      const args = ["--redis-url", server.url];
      await using watcher = start(at, { service: "watcher", args });
      await using otherWatcher = start(at, { service: "watcher", args });
      await using worker = start(at, { service: "worker", args });
      await worker.ready();
      const sameKey = [...args, "--mark-key-file", join(worker.dataDir, "mark.key")];
      await using otherWorker = start(at, { service: "worker", args: sameKey });
      for (const each of [watcher, otherWatcher, otherWorker]) await each.ready();
      await at.adopted("Deployment", "api");

      await at.change("ConfigMap", "settings", { v: "1" });
      watcher.signal("SIGKILL");
      await at.settlesAt("Deployment", "api", 1);

      await at.change("ConfigMap", "settings", { v: "2" });
      await passed(2010);
      worker.signal("SIGKILL");
      await at.settlesAt("Deployment", "api", 2);

      // A worker that freezes in mid-change and wakes after another took over must not write the older content.
      await at.change("ConfigMap", "settings", { v: "3" });
      await passed(2005);
      otherWorker.signal("SIGSTOP");
      await using rescue = start(at, { service: "worker", args: sameKey });
      await rescue.ready();
      await at.settlesAt("Deployment", "api", 3);
      otherWorker.signal("SIGCONT");
      await at.settlesAt("Deployment", "api", 3, { quietMs: 4000 });
    },
  );

  survives("two whole instances on one cluster and one Redis: one roll per change", async (start) => {
    const at = await deployment("two");
    await using server = await startRedis();
    await using one = start(at, { args: ["--redis-url", server.url] });
    await one.ready();
    await using two = start(at, {
      args: ["--redis-url", server.url, "--mark-key-file", join(one.dataDir, "mark.key")],
    });
    await two.ready();
    await at.adopted("Deployment", "api");
    for (const round of [1, 2, 3]) {
      await at.change("ConfigMap", "settings", { v: String(round) });
      await at.settlesAt("Deployment", "api", round);
    }
  });
}

function connect(product: Product): AsyncDisposable & { readonly client: Redis } {
  const client = new Redis(join(product.dataDir, "redis.sock"));
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.disconnect();
    },
  };
}

function writeKey(dataDir: string, key: string): void {
  writeFileSync(join(dataDir, "mark.key"), key, { mode: 0o600 });
}
