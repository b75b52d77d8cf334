import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";

/**
 * What is run of a service: it gives Node the compiled functions of the bundle, which saves a quarter of a start. They are used by the
 * same Node on processors with the same instructions; elsewhere, and where they are missing, Node compiles as it always does.
 * https://nodejs.org/docs/latest-v24.x/api/module.html#module-compile-cache
 */
const entry = `import { enableCompileCache } from "node:module";
enableCompileCache({ directory: import.meta.dirname + "/compiled", portable: true });
await import("./bundle.mjs");
`;

/** Runs `node` with these arguments. */
type RunNode = (args: readonly string[]) => Promise<unknown>;

/** Adds the entry to a folder that has a bundle, and compiles the bundle. `seenAs` is the folder as `runNode` sees it. */
export async function addEntry(folder: string, seenAs = folder, runNode: RunNode = runHere): Promise<void> {
  writeFileSync(join(folder, "main.mjs"), entry);
  rmSync(join(folder, "compiled"), { recursive: true, force: true });
  // The same bytes each time: without the flag they depend on the timing of threads and on a random seed.
  await runNode(["--predictable", join(seenAs, "main.mjs"), "--version"]);
}

function runHere(args: readonly string[]): Promise<unknown> {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, args, { env });
}
