import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { selectTargets } from "@fleet-reloader/kube/credentials/kubeconfig";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { ensureSecret } from "@fleet-reloader/kube/objects/owned-secret";
import { newMarkKey } from "@fleet-reloader/runtime/process/digest-key";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
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

async function helm(verb: string, ...rest: readonly string[]): Promise<string> {
  const image = verb === "uninstall" ? [] : ["--set", "image.repository=fleet-reloader"];
  const args = [verb, ...rest, ...image];
  const everywhere = ["--kubeconfig", plane.kubeconfigPath, "--namespace", "tools"];
  const { code, output, errors } = await run(await ensureTool("helm"), [...args, ...everywhere], {
    env: { HOME: home },
  });
  if (code !== 0) throw new Error(`helm ${args.join(" ")}: ${errors}`);
  return output;
}

const secretPath = "/api/v1/namespaces/tools/secrets";
const keySecret = { namespace: "tools", name: "reloader-reloader-mark-key", key: "mark.key" };

/** What a process of the product does at its start with the flag that the chart gives it. */
async function startedKey(): Promise<string> {
  const [target] = selectTargets([plane.kubeconfigPath], []);
  if (target === undefined) throw new Error("the control plane has no kubeconfig");
  const connection = new Connection({ target, clock: systemClock, userAgent: "test" });
  try {
    return await ensureSecret(connection, keySecret, newMarkKey, new AbortController().signal);
  } finally {
    await connection.close();
  }
}

async function secretNames(): Promise<readonly string[]> {
  const { body } = await plane.request({ path: secretPath });
  const items = at(body, "items");
  return (Array.isArray(items) ? items : [])
    .map((each) => String(at(each, "metadata", "name")))
    .filter((name) => !name.startsWith("sh.helm."));
}

/** As the chart was until the product made its key: it rendered a Secret with one, which outlives the release. */
function chartThatMadeTheKey(): string {
  const copy = join(home, "chart");
  cpSync(chart, copy, { recursive: true });
  writeFileSync(
    join(copy, "templates/mark-key.yaml"),
    `apiVersion: v1
kind: Secret
metadata:
  name: {{ include "fleet-reloader.fullname" . }}-mark-key
  annotations:
    helm.sh/resource-policy: keep
data:
  mark.key: {{ "${oldKey}" | b64enc }}
`,
  );
  return copy;
}
const oldKey = "0d".repeat(32);

/** Notes on the workloads can be read with their key only: a new key would mean that missed changes stay missed. */
test("a key that an earlier chart made outlives the upgrade and stays in use", async () => {
  await helm("install", "reloader", chartThatMadeTheKey(), "--create-namespace");
  await helm("upgrade", "reloader", chart);
  expect(await secretNames()).toEqual([keySecret.name]);
  expect(await startedKey()).toBe(oldKey);
  await helm("uninstall", "reloader");
  await plane.request({ method: "DELETE", path: `${secretPath}/${keySecret.name}` });
});

test("the mark key made at the first start outlives upgrades, and even the release", async () => {
  const notes = await helm("install", "reloader", chart, "--create-namespace");
  expect(notes).toContain("reloader-reloader serves all namespaces");
  expect(notes).toContain("kubectl -n tools exec deployment/reloader-reloader -- fleet-reloader history");
  expect(await secretNames()).toEqual([]);
  const first = await startedKey();
  expect(first).toMatch(/^[0-9a-f]{64}\n$/);
  await helm("upgrade", "reloader", chart, "--set", "fleetReloader.debounce=5s");
  expect(await startedKey()).toBe(first);
  await helm("uninstall", "reloader");
  expect(await startedKey()).toBe(first);
  await helm("install", "reloader", chart);
  expect(await startedKey()).toBe(first);
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
  expect(notes).toContain("reloader.deployment.replicas is 3, but 1 is used");
  expect(notes).toContain("fleetReloader.redis");
});
