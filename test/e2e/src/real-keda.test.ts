import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { createHub, type KedaHub } from "@fleet-reloader/keda/hub";
import { type ScaledPlane, startKeda } from "@fleet-reloader/keda/start-keda";
import { ApiClient, apiPath } from "@fleet-reloader/testkit/api-client";
import type { Product } from "@fleet-reloader/testkit/product";
import { passed, until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auto, reads, Site } from "./site.ts";

/**
 * The chart's own is two minutes. A roll is counted as work again when it is in the queue to be followed: 200 ms later, and seconds later on a
 * busy machine. A worker that left within that time would be woken again.
 */
const cooldownSeconds = 10;
/** A push that does not arrive by then never does, and workers that nobody asks for are up by then. */
const promisedMs = 30_000;
const rounds = 3;

const stack = new AsyncDisposableStack();
let client: ApiClient;
let shared: ScaledPlane;

beforeAll(async () => {
  const plane = stack.use(await startControlPlane({ autoscaling: true }));
  const target = { url: plane.url, token: plane.adminToken, ca: plane.caPem };
  shared = { target, kubeconfigPath: plane.kubeconfigPath };
  stack.use(await startKeda(shared));
  client = new ApiClient(target);
}, 3_600_000);
afterAll(() => stack.disposeAsync());

/** Without pods its rollouts end at once, also where no kubelet would start any. */
async function makeApp(at: Site): Promise<void> {
  await at.configMap("settings", { v: "0" });
  const spec = reads(["ConfigMap", "settings"]);
  await at.workload("Deployment", "api", { annotations: auto, spec, strategy: { replicas: 0 } });
}

const noWorker = ({ pods }: KedaHub) => until("no worker is left", () => pods.processes === 0);

describe.concurrent("KEDA", () => {
  for (const trigger of ["push", "poll"] as const)
    test(`by ${trigger} wakes one worker for each change, and two when no watcher answers`, async () => {
      const at = await Site.make(client, trigger);
      await makeApp(at);
      const { namespace } = at;
      await using hub = await createHub({ ...shared, namespace, trigger, cooldownSeconds });
      const watcher = hub.startWatcher();
      await watcher.inSync();
      await hub.scale();
      await at.adopted("Deployment", "api");
      await noWorker(hub);
      for (let round = 1; round <= rounds; round += 1) {
        const { wakes } = hub.pods;
        await at.change("ConfigMap", "settings", { v: String(round) });
        await until("it rolls", async () => (await at.rolls("Deployment", "api")) === round);
        await noWorker(hub);
        expect(hub.pods.wakes - wakes).toBe(1);
      }
      expect(await at.rolls("Deployment", "api")).toBe(rounds);

      watcher.signal("SIGKILL");
      await until("two workers are up", () => hub.pods.processes === 2, promisedMs);
      await hub.startWatcher().inSync();
      await noWorker(hub);
      expect(await at.rolls("Deployment", "api")).toBe(rounds);
    });

  const orders: Readonly<Record<string, (hub: KedaHub) => Promise<Product>>> = {
    before: async (hub) => {
      const watcher = hub.startWatcher();
      await watcher.inSync();
      await hub.scale();
      return watcher;
    },
    // KEDA's first poll fails or not.
    with: async (hub) => {
      const watcher = hub.startWatcher();
      await hub.scale();
      return watcher;
    },
    after: async (hub) => {
      await hub.scale();
      // Two attempts of KEDA to open its stream fail: it waits 2, 4, 8 … 60 s.
      await passed(5000);
      return hub.startWatcher();
    },
  };
  for (const [order, start] of Object.entries(orders))
    test(`is pushed to by a scaler that starts ${order} the ScaledObject`, async () => {
      const at = await Site.make(client, `scaler-${order}`);
      const { namespace } = at;
      // The poll after a failed one lets KEDA open its stream again. Between two polls there is time for a push.
      const seldom = { trigger: "push", pollingInterval: 15, replicas: 0 } as const;
      await using hub = await createHub({ ...shared, ...seldom, namespace, cooldownSeconds });
      const watcher = await start(hub);
      await watcher.inSync();
      expect(hub.pods.wakes).toBe(0);
      await makeApp(at);
      await until("a worker is up", () => hub.pods.wakes === 1, promisedMs);
      await at.adopted("Deployment", "api");
      const isPushed = async (round: number): Promise<boolean> => {
        await noWorker(hub);
        await at.change("ConfigMap", "settings", { v: String(round) });
        await until("it rolls", async () => (await at.rolls("Deployment", "api")) === round);
        return await wasPushed(namespace);
      };
      // A poll may come first, once in fifteen.
      expect((await isPushed(1)) || (await isPushed(2)) || (await isPushed(3))).toBe(true);
    });
});

/** Whether a push has woken a worker: KEDA's Event names its metric alone, and after a poll each metric that shows work. */
async function wasPushed(namespace: string): Promise<boolean> {
  const { body } = await client.send("GET", apiPath("Event", namespace));
  return JSON.stringify(body).includes('from 0 to 1, triggered by s0-work"');
}
