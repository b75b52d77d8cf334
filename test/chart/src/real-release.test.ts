import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { afterAll, expect, test } from "vitest";
import { chart } from "./helm.ts";
import { at } from "./manifest.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

const plane = await startControlPlane({ controllers: false });
const home = mkdtempSync(join(tmpdir(), "helm-home-"));
afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await plane.stop();
});

async function helm(...args: readonly string[]): Promise<string> {
  const everywhere = ["--kubeconfig", plane.kubeconfigPath, "--namespace", "tools"];
  const { code, output, errors } = await run(await ensureTool("helm"), [...args, ...everywhere], {
    env: { HOME: home },
  });
  if (code !== 0) throw new Error(`helm ${args.join(" ")}: ${errors}`);
  return output;
}

async function markKey(): Promise<string> {
  const { body } = await plane.request({
    path: "/api/v1/namespaces/tools/secrets/reloader-reloader-mark-key",
  });
  return String(at(body, "data", "mark.key"));
}

/** Notes on the workloads can be read with their key only: a new key would mean that missed changes stay missed. */
test("the mark key made at the first install outlives upgrades, and even the release", async () => {
  const notes = await helm("install", "reloader", chart, "--create-namespace");
  expect(notes).toContain("reloader-reloader serves all namespaces");
  const first = await markKey();
  expect(Buffer.from(first, "base64").toString("utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  await helm("upgrade", "reloader", chart, "--set", "fleetReloader.debounce=5s");
  expect(await markKey()).toBe(first);
  await helm("uninstall", "reloader");
  expect(await markKey()).toBe(first);
  await helm("install", "reloader", chart);
  expect(await markKey()).toBe(first);
});

test("the notes name the Deployments there are, also where a long name is shortened", async () => {
  const long = `fullnameOverride=${"a".repeat(63)}`;
  const hub = ["fleetReloader.mode=hub", "fleetReloader.redis.url=redis://r"];
  const notesOf = (...sets: readonly string[]) =>
    helm("upgrade", "--install", "long", chart, ...sets.flatMap((set) => ["--set", set]));
  expect(await notesOf(long)).toContain(`deployment/${"a".repeat(63)}\n`);
  expect(await notesOf(long, ...hub)).toContain(`deployment/${"a".repeat(55)}-watcher\n`);
  await helm("uninstall", "long");
});

test("the notes say what was asked for and cannot be", async () => {
  const three = ["--set", "reloader.deployment.replicas=3", "--set", "reloader.enableHA=true"];
  const notes = await helm("upgrade", "reloader", chart, ...three);
  expect(notes).toContain("reloader.deployment.replicas is 3, but there is 1");
  expect(notes).toContain("fleetReloader.redis");
});
