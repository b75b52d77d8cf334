import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { besideService } from "../src/frame/beside-service.ts";
import { startAskedWorld } from "./fixture/asked-world.ts";
import { commandRun } from "./fixture/command-run.ts";

const world = await startAskedWorld();
afterAll(() => world[Symbol.asyncDispose]());

const node = ["/usr/bin/node", "--max-old-space-size=256", "/app/main.mjs"];
const places = [
  ...["--kubeconfig", join(world.dataDir, "kubeconfig"), `--data-dir=${world.dataDir}`],
  `--mark-key-file=${world.keyFile}`,
];

function askedBeside(service: readonly string[], words: readonly string[]) {
  return commandRun(words, { env: Object(besideService({}, [...node, ...service, ...places])) });
}

test.each([
  [[], "It would not roll: NotOptedIn."],
  [["--auto-reload-all"], "Secret/db counts: AutoReloadAll."],
  [["dashboard", "--auto-reload-all=true"], "Secret/db counts: AutoReloadAll."],
  [["--namespaces=pay"], "No worker decides on it: NamespaceNotServed."],
])("explain decides by the flags of the service beside it: %j", async (flags, says) => {
  const asked = await askedBeside(flags, ["explain", "Deployment/batch", "-n", "shop"]);
  expect(asked).toMatchObject({ code: 0, errors: "" });
  expect(asked.output).toContain(says);
});

test("so does plan, and so does lint", async () => {
  const planned = ["plan", "Secret/db", "-n", "shop"];
  expect((await askedBeside([], planned)).output).toContain("Deployment/batch: NotOptedIn.");
  const { output } = await askedBeside(["--auto-reload-all"], planned);
  // No worker has recorded it yet.
  expect(output).toContain("Deployment/batch: WorkloadsNotListed.");
  const file = join(world.dataDir, "api.yaml");
  const metadata = { name: "api", annotations: { "my.company/auto": "tru" } };
  writeFileSync(file, JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata }));
  expect(await commandRun(["lint", file])).toMatchObject({ code: 0 });
  const linted = await askedBeside(["--auto-annotation=my.company/auto"], ["lint", file]);
  expect(linted).toMatchObject({ code: 1, output: expect.stringContaining("my.company/auto") });
});

test("a flag of the command goes before one of the service, and that before a variable", async () => {
  const env = { FLEET_RELOADER_AUTO_RELOAD_ALL: "false", HOME: "/home" };
  const beside = besideService(env, [...node, "--auto-reload-all", ...places]);
  expect(beside).toMatchObject({ FLEET_RELOADER_AUTO_RELOAD_ALL: "true", HOME: "/home" });
  const words = ["explain", "Deployment/batch", "-n", "shop", "--auto-reload-all=false"];
  const { output } = await commandRun(words, { env: Object(beside) });
  expect(output).toContain("It would not roll: NotOptedIn.");
});

test("a flag that is given several times counts each time, as for the service", () => {
  const words = ["--workload-kinds=a.io/v1/A=spec.t", '--workload-kinds="b.io/v1/B=spec.t"', "--other", "x"];
  expect(besideService({}, [...node, ...words])).toEqual({
    FLEET_RELOADER_WORKLOAD_KINDS: 'a.io/v1/A=spec.t,"b.io/v1/B=spec.t"',
  });
});

test.each([
  ["a command that is the first process itself", [...node, "explain", "--auto-reload-all"]],
  ["another program", ["/sbin/init", "--auto-reload-all"]],
  ["nothing that can be read", []],
])("%s sets no variable", (_, firstProcess) => {
  const env = { FLEET_RELOADER_DEBOUNCE: "5s" };
  expect(besideService(env, firstProcess)).toEqual(env);
});

test("the command line in a container reads the first process there", async () => {
  const file = join(world.dataDir, "by-service.yaml");
  writeFileSync(file, "[{ namespace: shop, reason: by service, by: ann }]");
  const line = JSON.stringify(`${[...node, `--freeze-file=${file}`].join("\0")}\0`);
  // Not everybody may make a container here.
  const first = `import fs from 'node:fs';import { syncBuiltinESMExports } from 'node:module';
    const read = fs.readFileSync;
    fs.readFileSync = (path, ...how) => (path === '/proc/1/cmdline' ? ${line} : read(path, ...how));
    syncBuiltinESMExports();`;
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const preloaded = `data:text/javascript,${encodeURIComponent(first)}`;
  const child = spawn(process.execPath, ["--import", preloaded, main, "freezes"], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  await once(child, "close");
  expect([child.exitCode, ...(await said)]).toEqual([0, expect.stringContaining("by service"), ""]);
});
