import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "fr-first-"));
afterAll(() => rmSync(folder, { recursive: true }));

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** In a process namespace of its own, as in a container. */
const asFirst = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", process.execPath, main];

// The kernel keeps from the first process of a container what it has no handler for.
test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a command that is the first process and is not read", async (signal, code) => {
  const file = join(folder, "many.yaml");
  const freeze = { fleet: true, reason: "x".repeat(1000), by: "ann" };
  writeFileSync(file, JSON.stringify(Array.from({ length: 300 }, () => freeze)));
  // One that does not end fails its test instead of outliving it.
  const child = spawn("unshare", [...asFirst, "freezes", "--freeze-file", file], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  await once(child.stdout, "readable");
  process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")), signal);
  await once(child, "exit");
  expect(child.exitCode).toBe(code);
});
