import { execFile } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { holds, until } from "@fleet-reloader/testkit/until";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

const runFile = promisify(execFile);
const freezeKey = "fleet-reloader.io/freeze";

/** What forbids a roll, and what keeps many of them from coming at once. */
export function brakesTests(world: () => World): void {
  const start = (at: Site, how: Partial<ProductOptions> = {}): Product =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      ...how,
      args: ["--namespace", at.namespace, "--debounce", "0", ...(how.args ?? [])],
    });

  async function adoptedSite(purpose: string): Promise<Site> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "0" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    return at;
  }

  const isHeld = (product: Product, count = 1) =>
    until("the roll is held", () => product.log.filter(({ msg }) => msg === "roll held").length >= count);

  describe("a freeze", () => {
    test.concurrent.each([
      ["the fleet", () => "fleet: true"],
      ["the namespace", (at: Site) => `namespace: ${at.namespace}`],
      ["the workload", (at: Site) => `{namespace: ${at.namespace}, workload: Deployment/api}`],
      ["the source", (at: Site) => `{namespace: ${at.namespace}, source: ConfigMap/settings}`],
    ])("of %s in the file is honoured by the next roll, also after Redis is wiped", async (_level, scope) => {
      const at = await adoptedSite("freeze");
      await using redis = await startRedis();
      await using product = start(at, { args: ["--redis-url", redis.url] });
      await product.ready();
      await at.adopted("Deployment", "api");
      const file = join(product.dataDir, "freezes.yaml");
      writeFreezes(file, `- ${scope(at)}\n`);
      await at.change("ConfigMap", "settings", { v: "1" });
      await isHeld(product);
      const heldBefore = await timesFrozen(product);
      await flush(redis.url);
      await holds("nothing rolls", 4000, async () => (await at.rolls("Deployment", "api")) === 0);
      await isFrozenAgain(product, heldBefore);
      expect(await at.rolls("Deployment", "api")).toBe(0);
      writeFreezes(file, "[]\n");
      await at.settlesAt("Deployment", "api", 1);
    });

    test.concurrent.each(["workload", "source"])(
      "by an annotation on the %s holds until it is taken away",
      async (where) => {
        const at = await adoptedSite(`freeze-${where}`);
        await using product = start(at);
        await product.ready();
        await at.adopted("Deployment", "api");
        const [kind, name] =
          where === "workload" ? (["Deployment", "api"] as const) : (["ConfigMap", "settings"] as const);
        await at.patch(kind, name, { metadata: { annotations: { [freezeKey]: "until the audit" } } });
        await at.change("ConfigMap", "settings", { v: "1" });
        await isHeld(product);
        expect(await at.rolls("Deployment", "api")).toBe(0);
        await until("an Event says so", async () => (await at.all("Event")).includes("until the audit"));
        await at.patch(kind, name, { metadata: { annotations: { [freezeKey]: null } } });
        await at.settlesAt("Deployment", "api", 1);
      },
    );

    test.concurrent("that cannot be read holds everything, and names the entry and the mend", async () => {
      const at = await adoptedSite("freeze-unreadable");
      await using product = start(at);
      await product.ready();
      await at.adopted("Deployment", "api");
      const file = join(product.dataDir, "freezes.yaml");
      writeFreezes(file, "- fleet: true\n  until: soon\n");
      await at.change("ConfigMap", "settings", { v: "1" });
      await isHeld(product);
      expect(product.output()).toContain('entry 1: until: \\"soon\\" is no time; write for example');
      expect(await at.rolls("Deployment", "api")).toBe(0);
      writeFreezes(file, "[]\n");
      await at.settlesAt("Deployment", "api", 1);
    });

    test.concurrent("set on the command line holds until it is lifted, and names who set it", async () => {
      const at = await adoptedSite("freeze-cli");
      await using product = start(at);
      await product.ready();
      await at.adopted("Deployment", "api");
      const scope = ["--namespace", at.namespace];
      expect(await cli(product.dataDir, "freezes")).toContain("nothing is frozen");
      expect(await cli(product.dataDir, "freeze", "--by", "ann")).toContain("does not say what is frozen");
      await cli(product.dataDir, "freeze", ...scope, "--by", "ann", "--reason", "release", "--until", "2h");
      expect(await cli(product.dataDir, "freezes")).toMatch(
        `namespace ${at.namespace}: release (by ann, until `,
      );
      await at.change("ConfigMap", "settings", { v: "1" });
      await isHeld(product);
      expect(await cli(product.dataDir, "unfreeze", "--fleet")).toContain("it is not frozen");
      expect(await cli(product.dataDir, "unfreeze", ...scope)).toContain("no longer frozen");
      await at.settlesAt("Deployment", "api", 1);
    });

    test.concurrent("in a ConfigMap of the hub holds, and is honoured by the very next roll", async () => {
      const at = await adoptedSite("freeze-configmap");
      await using product = start(at, { args: ["--freeze-configmap", `${at.namespace}/freezes`] });
      await product.ready();
      await at.adopted("Deployment", "api");
      await at.change("ConfigMap", "settings", { v: "1" });
      await at.settlesAt("Deployment", "api", 1);
      await at.configMap("freezes", { "freezes.yaml": `- namespace: ${at.namespace}\n` });
      await at.change("ConfigMap", "settings", { v: "2" });
      await isHeld(product);
      await at.change("ConfigMap", "freezes", { "freezes.yaml": "[]\n" });
      await at.settlesAt("Deployment", "api", 2);
    });
  });

  test.concurrent("Redis wiped in a mass change: nothing frozen rolls, nothing rolls twice", async () => {
    const at = await Site.make(world().client, "mass");
    await using redis = await startRedis();
    await at.configMap("settings", { v: "0" });
    const names = Array.from({ length: 30 }, (_, i) => `w${String(i).padStart(2, "0")}`);
    const spec = reads(["ConfigMap", "settings"]);
    for (const name of names) await at.workload("Deployment", name, { annotations: auto, spec });
    await using product = start(at, {
      args: ["--redis-url", redis.url, "--budget-fleet", "rate=1/s,burst=2"],
    });
    await product.ready();
    for (const name of names) await at.adopted("Deployment", name);
    await at.change("ConfigMap", "settings", { v: "1" });
    const rolled = async () => {
      const counts = await Promise.all(names.map((name) => at.rolls("Deployment", name)));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    await until(
      "some have rolled",
      () => product.log.filter(({ msg }) => msg === "workload rolled").length >= 5,
    );
    const file = join(product.dataDir, "freezes.yaml");
    writeFreezes(file, "- fleet: true\n  reason: stop\n");
    await until("the freeze is met", () => product.log.some(({ reason }) => reason === "Frozen"));
    let before = 0;
    // What had been sent when the freeze was set arrives yet; were the freeze not met, this would end when all have rolled.
    const isStill = async (): Promise<boolean> => {
      before = await rolled();
      const still = holds("still", 1000, async () => (await rolled()) === before);
      return await still.then(
        () => true,
        () => false,
      );
    };
    await until("what was under way has arrived", isStill);
    const heldBefore = await timesFrozen(product);
    await flush(redis.url);
    await holds("nothing rolls", 5000, async () => (await rolled()) === before);
    await isFrozenAgain(product, heldBefore);
    expect(await rolled()).toBe(before);
    expect(before).toBeLessThan(names.length);
    writeFreezes(file, "[]\n");
    for (const name of names) await at.settlesAt("Deployment", name, 1, { quietMs: 200 });
  });

  test.concurrent("a Secret that is rewritten for ever makes few ReplicaSets, an Event and an alert", async () => {
    const at = await Site.make(world().client, "loop");
    await using alerts = await startSink();
    await at.secret("db", { v: "0", password: canary });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["Secret", "db"]) });
    await using product = start(at, {
      args: ["--breaker-source", "3/10m", "--alert-on-failure", "--log-level", "debug"],
      env: { ALERT_WEBHOOK_URL: alerts.url.href },
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    let writes = 0;
    const from = performance.now();
    const isRewrittenForLong = async (): Promise<boolean> => {
      await at.change("Secret", "db", { v: String(++writes) });
      return writes > 20 && performance.now() - from >= 8000;
    };
    await until("it is rewritten for long", isRewrittenForLong);
    // A content that was let through and overtaken before it was written counts, too.
    expect(await at.rolls("Deployment", "api")).toBeLessThanOrEqual(3);
    expect(await at.newReplicaSets("api")).toBeGreaterThan(0);
    await until("an alert has come", () =>
      alerts.received.some(({ body }) => body.includes("SourceLooping")),
    );
    await until("an Event is there", async () => (await at.all("Event")).includes("SourceLooping"));
    const said = [product.output(), await at.all("Event"), ...alerts.received.map(({ body }) => body)].join();
    for (const form of [canary, Buffer.from(canary).toString("base64")]) expect(said).not.toContain(form);
  });
}

/** In a Secret: nobody is told. */
const canary = "hunter2-canary";

/** How often a roll was held by a freeze; one that waits is counted each time it is looked at. */
async function timesFrozen(product: Product): Promise<number> {
  const metrics = await (await fetch(`${await product.healthUrl()}/metrics`)).text();
  const counts = [...metrics.matchAll(/^fleet_reloader_holds_total\{.*reason="Frozen".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Whatever was lost is found again: until then a freeze has nothing to hold. */
async function isFrozenAgain(product: Product, before: number): Promise<void> {
  await until("it is found and held again", async () => (await timesFrozen(product)) > before);
}

/** What the command line says, as it is shipped. */
async function cli(dataDir: string, ...args: readonly string[]): Promise<string> {
  const main = fileURLToPath(new URL("../../../../services/cli/dist/main.mjs", import.meta.url));
  const ran = runFile(process.execPath, [main, ...args, "--data-dir", dataDir]);
  // A refusal is an answer, too: it ends with another code than 0, and the error has both texts.
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error);
  return stdout + stderr;
}

/** As editors do: nobody sees half of it. */
function writeFreezes(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
