import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Folder extends Disposable {
  readonly path: string;
}

/**
 * The data folder of our product for one benchmark, kept over its starts as an install keeps it: with another mark key it
 * would adopt every workload anew, and what changes before that is no change to it.
 */
export function dataFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "bench-data-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** For starts with an empty Redis and the mark key of before, so that notes on workloads do not pile up. */
export function sharedMarkKey(): Folder & { readonly args: readonly string[] } {
  const folder = dataFolder();
  const file = join(folder.path, "shared.key");
  writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  return { ...folder, args: ["--mark-key-file", file] };
}
