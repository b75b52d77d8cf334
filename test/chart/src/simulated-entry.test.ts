import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterAll, expect, test } from "vitest";
import { root as repository } from "./helm.ts";
import { run } from "./tools/run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-entry-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nodeArgs = readFileSync(join(repository, "infra/bundle/node-args"), "utf8").trim().split(" ");

/** The image's first program, before services that say with which flags Node has started them. */
const entry = join(folder, "main.ts");
cpSync(join(repository, "infra/docker/main.ts"), entry);
cpSync(join(repository, "infra/bundle/node-args"), join(folder, "node-args"));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
for (const service of ["standalone", "watcher", "cli"]) {
  const main = join(folder, "services", service, "dist/main.mjs");
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(main, "console.log(JSON.stringify(process.execArgv));");
}

test.each([
  [["--help"], []],
  [["-h"], []],
  [["--version"], []],
  [["watcher", "-h"], []],
  [["freezes"], []],
  [["watcher"], nodeArgs],
  [[], nodeArgs],
])("heap limits are for what goes on: %j is run with %j", async (words, flags) => {
  const { code, errors, output } = await run(process.execPath, [entry, ...words]);
  expect([code, errors]).toEqual([0, ""]);
  expect(JSON.parse(output)).toEqual(flags);
});
