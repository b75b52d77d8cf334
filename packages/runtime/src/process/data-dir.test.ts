import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { dataDirOf, openDataDir } from "./data-dir.ts";

test("the folder is the configured one, else XDG's, else the home's", () => {
  expect(dataDirOf("/data", { XDG_STATE_HOME: "/state" })).toBe("/data");
  expect(dataDirOf("./data", {})).toBe(join(process.cwd(), "data"));
  expect(dataDirOf("", { XDG_STATE_HOME: "/state", HOME: "/home/me" })).toBe("/state/fleet-reloader");
  expect(dataDirOf("", { XDG_STATE_HOME: "", HOME: "/home/me" })).toBe(
    "/home/me/.local/state/fleet-reloader",
  );
});

test("it is made with those above it, for us alone, and stays empty", () => {
  const above = mkdtempSync(join(tmpdir(), "fr-data-"));
  const folder = join(above, "a/b");
  openDataDir(folder);
  openDataDir(folder);
  expect(readdirSync(folder)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  writeFileSync(join(above, "file"), "");
  expect(() => openDataDir(join(above, "file/below"))).toThrow(/--data-dir .*file\/below: cannot be written/);
  rmSync(above, { recursive: true });
});

// In a process of its own, since a call that never returns cannot be interrupted.
test.each(["/proc/x", "/proc/x/y", "/proc", "/dev/null/x"])("%s is refused, and at once", async (folder) => {
  const script = `import { openDataDir } from ${JSON.stringify(new URL("data-dir.ts", import.meta.url).href)};
    try { openDataDir(${JSON.stringify(folder)}); } catch (error) { console.log(error.code, error.message); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(output).toMatch(
    /^config.invalid --data-dir .*: cannot be written .*name a folder this process may write to/,
  );
});
