import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { callScaler } from "@fleet-reloader/testkit/keda-call";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { type Scaler, startScaler } from "@fleet-reloader/testkit/scaler";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site, at as valueAt } from "../site.ts";
import type { World } from "../world.ts";

/** As KEDA would do it, only quicker. */
const pollMs = 1000;
const shortCooldownMs = 2000;
/**
 * A roll is counted as work again when it is in the queue to be followed: 200 ms later, and seconds later on a busy machine. The chart's
 * cool-down of two minutes is far beyond it, and so is this one: a worker that left within that time would be woken again.
 */
const cooldownBeyondGatherMs = 10_000;
const rounds = 3;
const noFlags: readonly string[] = [];

/** Workers come from zero and go to zero; the watcher is always on. */
export function scalingTests(world: () => World): void {
  interface Hub extends AsyncDisposable {
    readonly at: Site;
    readonly redis: TestRedis;
    readonly scaler: Scaler;
    readonly origin: string;
    readonly watcher: Product;
    /** All that the scaler has started. */
    readonly workers: readonly Product[];
    /** Of the watcher's push scaler; undefined where the scaler only polls. */
    readonly pushOrigin: string | undefined;
  }

  /** One Deployment, a watcher, and no worker but those the scaler starts; the first has adopted it and is gone. */
  async function startHub(
    purpose: string,
    { isPushed = false, flags = noFlags, cooldownMs = shortCooldownMs } = {},
  ): Promise<Hub> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "0" });
    await at.workload("Deployment", "api", {
      annotations: auto,
      spec: reads(["ConfigMap", "settings"]),
      // Without pods its rollouts end at once, also where no kubelet would start any: a worker stays up to follow the others.
      strategy: { replicas: 0 },
    });
    const stack = new AsyncDisposableStack();
    const redis = stack.use(await startRedis());
    const args = ["--namespace", at.namespace, "--redis-url", redis.url, ...flags];
    const kubeconfig = world().kubeconfigPath;
    const watcher = stack.use(
      startProduct({
        service: "watcher",
        kubeconfig,
        args: [...args, "--audit-interval", "0", "--scaler-listen-address", isPushed ? "127.0.0.1:0" : ""],
      }),
    );
    await watcher.inSync();
    const origin = await watcher.healthUrl();
    // Nobody has looked at the Deployment, and nothing is wrong with the watcher.
    expect((await fetch(`${origin}/ready`)).status).toBe(503);
    expect((await fetch(`${origin}/live`)).status).toBe(200);
    const keyFile = join(watcher.dataDir, "shared.key");
    writeFileSync(keyFile, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    const workers: Product[] = [];
    const startWorker = () => {
      const worker = startProduct({
        service: "worker",
        kubeconfig,
        args: [...args, "--mark-key-file", keyFile],
      });
      workers.push(worker);
      return worker;
    };
    const pushed = watcher.log.find(({ msg }) => msg === "the scaler listens")?.scaler;
    const pushOrigin = typeof pushed === "string" ? `http://${pushed}` : undefined;
    expect(pushOrigin === undefined).toBe(!isPushed);
    const pushing = pushOrigin === undefined ? {} : { pushOrigin };
    const scaler = stack.use(startScaler({ origin, startWorker, pollMs, cooldownMs, ...pushing }));
    await at.adopted("Deployment", "api");
    await watcher.ready();
    await until("no worker is left", () => scaler.processes === 0);
    return {
      at,
      redis,
      scaler,
      origin,
      watcher,
      workers,
      pushOrigin,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  }

  test("with no worker a debounced change wakes one, which rolls once and goes again", async () => {
    await using hub = await startHub("scale");
    const { at, scaler } = hub;
    let changes = 0;
    for (let round = 1; round <= rounds; round += 1)
      // A busy machine may take longer for a roll than the cool-down is.
      await atBest(async () => {
        const { wakes } = scaler;
        changes += 1;
        await at.change("ConfigMap", "settings", { v: String(changes) });
        await until("it rolls", async () => (await at.rolls("Deployment", "api")) === changes);
        await until("no worker is left", () => scaler.processes === 0);
        expect(scaler.wakes - wakes).toBe(1);
      });
    expect(await at.rolls("Deployment", "api")).toBe(changes);
  });

  test("a push wakes a worker for a change, and the watcher ends its stream with OK", async () => {
    await using hub = await startHub("scale-push", { isPushed: true, cooldownMs: cooldownBeyondGatherMs });
    const { at, pushOrigin = "", scaler, watcher } = hub;
    const { wakes } = scaler;
    await at.change("ConfigMap", "settings", { v: "1" });
    await until("it rolls", async () => (await at.rolls("Deployment", "api")) === 1);
    await until("no worker is left", () => scaler.processes === 0);
    expect(scaler.wakes - wakes).toBe(1);
    expect(await at.rolls("Deployment", "api")).toBe(1);
    expect(scaler.pushes).toBeGreaterThanOrEqual(scaler.wakes);
    const session = connect(pushOrigin);
    const asking = { name: "worker", namespace: "reloader", metadata: { targetValue: "25" } };
    const call = callScaler(session, "StreamMetricSpec", asking);
    await until("the stream is open", () => call.messages.length === 1);
    const exit = watcher.stop();
    expect(await call.ended).toBe("0");
    session.destroy();
    expect(await exit).toBe(0);
  });

  test("a change made while the last worker goes is not stranded", async () => {
    await using hub = await startHub("scale-down");
    const { at, scaler } = hub;
    await at.change("ConfigMap", "settings", { v: "1" });
    await until("the worker is told to go", () => scaler.wakes === 2 && scaler.workers === 0);
    await at.change("ConfigMap", "settings", { v: "2" });
    await at.settlesAt("Deployment", "api", 2);
  });

  test("a stuck rollout keeps no worker up, and one worker tells once how it ended", async () => {
    await using hub = await startHub("scale-stuck", {
      flags: ["--is-Argo-Rollouts=true"],
      cooldownMs: cooldownBeyondGatherMs,
    });
    const { at, scaler, workers } = hub;
    const template = { metadata: { labels: { app: "stuck" } }, spec: reads(["ConfigMap", "settings"]) };
    const spec = { replicas: 1, selector: { matchLabels: { app: "stuck" } }, template };
    // No controller serves it: it goes on until somebody writes its status.
    await at.make("Rollout", { metadata: { name: "stuck", annotations: auto }, spec });
    await at.adopted("Rollout", "stuck");
    await at.change("ConfigMap", "settings", { v: "1" });
    const logged = (msg: string) =>
      workers.flatMap(({ log }) =>
        log.filter((line) => line.msg === msg && valueAt(line.workload, "kind") === "Rollout"),
      );
    await until("it rolls", () => logged("workload rolled").length === 1);
    await until("no worker is left", () => scaler.processes === 0);
    const { wakes } = scaler;
    expect(logged("rollout ended")).toEqual([]);

    const generation = valueAt(await at.object("Rollout", "stuck"), "metadata", "generation");
    const status = { observedGeneration: String(generation), phase: "Degraded", message: "by analysis" };
    const path = `${at.path("Rollout", "stuck")}/status`;
    const written = await world().client.send("PATCH", path, { status }, "application/merge-patch+json");
    expect(written.status).toBe(200);
    await until("it is told", () => logged("rollout ended").length > 0);
    await until("no worker is left", () => scaler.processes === 0);
    expect(logged("rollout ended")).toMatchObject([{ result: "failed", reason: "RolloutFailed" }]);
    expect(await at.all("Event")).toContain("has failed (RolloutFailed): by analysis");
    expect(scaler.wakes - wakes).toBe(1);
  });

  test("while Redis is away no depth is published, so workers stay; then work goes on", async () => {
    await using hub = await startHub("scale-redis");
    const { at, redis, scaler, origin } = hub;
    await at.change("ConfigMap", "settings", { v: "1" });
    await until("a worker is up", () => scaler.workers === 1);
    await redis.kill();
    await until("it is refused", async () => (await fetch(`${origin}/work`)).status === 503);
    await until("nothing is told for longer than a cool-down", () => scaler.refusals >= 4);
    expect(scaler.workers).toBe(1);
    await redis.restart();
    await at.settlesAt("Deployment", "api", 1);
  });
}
