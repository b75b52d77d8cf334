import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { auto, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";
import { historyUrl } from "./history.ts";

/** I4: no Secret value, and no unkeyed digest of one, is anywhere but in the API server. */
export function secrecyTests(world: () => World): void {
  test.concurrent("canaries in Secrets are in no log, metric, Redis, Event, object, notification", async () => {
    const at = await Site.make(world().client, "canary");
    const canaries = Array.from({ length: 40 }, () => randomBytes(24).toString("base64url"));
    const [before, after] = [canaries.slice(0, 20), canaries.slice(20)];
    for (const [i, value] of before.entries()) await at.secret(`s${i}`, { password: value });
    await at.secret("unreferenced", { password: canaries[0] ?? "" });
    const names = before.map((_, i) => ["Secret", `s${i}`] as const);
    for (const strategy of ["annotations", "env-vars"]) {
      await at.workload("Deployment", strategy, {
        annotations: { ...auto, ...unhurried.annotations, "fleet-reloader.io/strategy": strategy },
        spec: reads(...names),
      });
    }
    await using told = await startSink();
    await using collector = await startSink();
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace, "--log-level", "trace", "--notify-webhook-url", told.url.href],
      env: {
        ALERT_ON_RELOAD: "true",
        ALERT_SINK: "teams",
        ALERT_WEBHOOK_URL: told.url.href,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.origin,
        RELOADER_NAMESPACE: at.namespace,
      },
    });
    await product.ready();
    for (const strategy of ["annotations", "env-vars"]) await at.adopted("Deployment", strategy);
    for (const [i, value] of after.entries()) await at.change("Secret", `s${i}`, { password: value });
    for (const strategy of ["annotations", "env-vars"])
      await at.settlesAt("Deployment", strategy, 1, unhurried);

    await until("everybody is told", async () => {
      const events = await at.all("Event");
      return (
        told.received.length >= 4 &&
        ["annotations", "env-vars"].every((name) => events.includes(`Updated '${name}'`))
      );
    });
    await until("both rolls are traced", () => {
      const traces = collector.received.map(({ body }) => body).join();
      return traces.split('"name":"roll"').length > 2;
    });
    const story = await until("the history tells of both", async () => {
      const text = await (await fetch(await historyUrl(product))).text();
      return text.split('"action":"rolled"').length > 2 ? text : undefined;
    });
    const redis = new Redis(join(product.dataDir, "redis.sock"));
    await rewriteFiles(redis);
    const dump = await everyValue(redis);
    redis.disconnect();
    const metrics = await (await fetch(`${await product.healthUrl()}/metrics`)).text();
    const workloads = await Promise.all(
      (["Deployment", "ReplicaSet", "Event", "ConfigMap"] as const).map((kind) => at.all(kind)),
    );
    const outside = [...told.received, ...collector.received].map(
      ({ body, headers }) => `${body} ${JSON.stringify(headers)}`,
    );
    const haystack = [
      product.output(),
      metrics,
      dump,
      story,
      ...files(product.dataDir),
      ...workloads,
      ...outside,
    ].join("\n");
    expect(dump).toContain(":history ");
    const places = [
      '"type":"change"',
      "Changes detected in",
      "Hence reloaded",
      '"type":"rolled"',
      "reloaderOptions",
      '"name":"change"',
    ];
    // The hunt is real: each of the places was looked at, and a canary is found where it may be.
    for (const seen of [
      "workload rolled",
      "fleet_reloader_rolls_total",
      "Secret/",
      "STAKATER_S0_SECRET",
      ...places,
    ])
      expect(haystack).toContain(seen);
    const secrets = await at.all("Secret");
    expect(
      canaries.slice(20).every((canary) => tracesOf(canary).some((trace) => secrets.includes(trace))),
    ).toBe(true);
    for (const canary of canaries) {
      for (const trace of tracesOf(canary))
        expect(haystack.includes(trace), "a canary was found").toBe(false);
    }
  });
}

/** What would betray a value: itself, its usual encodings, and unkeyed digests of it and of the peer's `key=value` form. */
function tracesOf(canary: string): readonly string[] {
  const digests = ["md5", "sha1", "sha256"].flatMap((algorithm) =>
    [canary, `password=${canary}`].flatMap((text) => {
      const digest = createHash(algorithm).update(text).digest();
      return [digest.toString("hex"), digest.toString("base64")];
    }),
  );
  return [canary, Buffer.from(canary).toString("base64"), Buffer.from(canary).toString("hex"), ...digests];
}

/** Lets Redis write all it holds to its files, and waits for the end: until then files come and go. */
async function rewriteFiles(redis: Redis): Promise<void> {
  await redis.bgrewriteaof();
  await until("the files of Redis are rewritten", async () => {
    const state = await redis.info("persistence");
    return state.includes("aof_rewrite_in_progress:0\r") && state.includes("aof_rewrite_scheduled:0\r");
  });
}

async function everyValue(redis: Redis): Promise<string> {
  const keys = await redis.keys("*");
  const dumps = await Promise.all(
    keys.map(async (key) => `${key} ${(await redis.dumpBuffer(key))?.toString("latin1")}`),
  );
  return dumps.join("\n");
}

function files(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}
