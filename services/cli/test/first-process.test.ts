import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "fr-first-"));
afterAll(() => rmSync(folder, { recursive: true }));

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** It takes itself for the first process of a container. Not everybody may make a real one. */
const first = "data:text/javascript,Object.defineProperty(process,'pid',{value:1})";

// The kernel keeps from the first process of a container what it has no handler for.
test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a command that is the first process", async (signal, code) => {
  const file = join(folder, "many.yaml");
  const freeze = { fleet: true, reason: "x".repeat(1000), by: "ann" };
  writeFileSync(file, JSON.stringify(Array.from({ length: 300 }, () => freeze)));
  // One that does not end fails its test instead of outliving it.
  const child = spawn(process.execPath, ["--import", first, main, "freezes", "--freeze-file", file], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  await once(child.stdout, "readable");
  child.kill(signal);
  await once(child, "exit");
  expect(child.exitCode).toBe(code);
});
