import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { holds, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "./site.ts";
import { startSimulatedWorld } from "./world.ts";

const runFile = promisify(execFile);
const commandLine = fileURLToPath(new URL("../../../services/cli/dist/main.mjs", import.meta.url));

/** A person's token and an access file that lets them do everything. */
async function admitAnn(folder: string) {
  const { stdout } = await runFile(process.execPath, [commandLine, "access-token"]);
  const [hash = ""] = /sha256:[0-9a-f]{64}/.exec(stdout) ?? [];
  const [, token = ""] = /^token: *(\S+)/m.exec(stdout) ?? [];
  const file = join(folder, "access.yaml");
  const grants = [{ role: "admin", clusters: "*", namespaces: "*" }];
  writeFileSync(file, JSON.stringify({ people: [{ name: "ann", tokens: [hash], grants }] }));
  return { token, file };
}

/** Ann's browser on the page. */
async function signIn(product: Product, token: string) {
  const { origin } = new URL(String(product.log.find((line) => "page" in line)?.page));
  const headers = { "content-type": "application/json", origin };
  const send = async (path: string, body: object, cookie: string) =>
    await fetch(`${origin}${path}`, {
      method: "POST",
      headers: Object.assign({ cookie }, headers),
      body: JSON.stringify(body),
    });
  const signed = await send("/api/v1/session", { token }, "");
  const [cookie = ""] = (signed.headers.get("set-cookie") ?? "").split(";");
  return {
    act: async (name: string, body: object) => {
      const answer = await send(`/api/v1/acts/${name}`, body, cookie);
      const { count, isDone }: { count?: number; isDone?: boolean } = JSON.parse(await answer.text());
      return { status: answer.status, count, isDone };
    },
    history: async () => await (await fetch(`${origin}/history`, { headers: { cookie } })).text(),
    askedWithout: async () => (await fetch(`${origin}/api/v1/status`)).status,
  };
}

test("whoever signs in freezes the fleet on the page, and lifts it again", async () => {
  await using world = await startSimulatedWorld();
  const at = await Site.make(world.client, "signed");
  await at.configMap("settings", { v: "A" });
  await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  const folder = mkdtempSync(join(tmpdir(), "fr-signed-"));
  const { file, token } = await admitAnn(folder);
  {
    const args = ["--access-file", file, "--debounce", "300ms"];
    await using product = startProduct({ kubeconfig: world.kubeconfigPath, args });
    await product.ready();
    await at.adopted("Deployment", "api");
    const ann = await signIn(product, token);
    expect(await ann.askedWithout()).toBe(401);
    const fleet = { fleet: true, reason: "incident 4711" };
    const isListed = async () => (await ann.act("freeze", { fleet: true, dryRun: true })).count === 1;
    await until("the cluster and its workload are listed", isListed);
    expect(await ann.act("freeze", { ...fleet, expect: 1 })).toMatchObject({ status: 200, isDone: true });
    await at.change("ConfigMap", "settings", { v: "B" });
    await holds("nothing rolls", 1500, async () => (await at.rolls("Deployment", "api")) === 0);
    expect(await ann.act("lift", { ...fleet, expect: 1 })).toMatchObject({ status: 200, isDone: true });
    await at.settlesAt("Deployment", "api", 1);
    expect(await ann.history()).toMatch(/"action":"lift","by":"ann"/);
  }
  rmSync(folder, { recursive: true, force: true });
});
