import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";

/**
 * The folder of `--data-dir`, or the state folder of the XDG base directory specification. Absolute, since the embedded Redis has a working
 * directory of its own.
 */
export function dataDirOf(configured: string, env: Readonly<Record<string, string | undefined>>): string {
  if (configured !== "") return resolve(configured);
  const state = env.XDG_STATE_HOME || join(env.HOME ?? "/var/lib", ".local/state");
  return join(state, "fleet-reloader");
}

/**
 * Creates a folder and its parents, for this user alone. It avoids `recursive` of mkdir, which never returns when the system says ENOENT for a
 * folder whose parent exists, as /proc does (Node 24.21).
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process that starts at the same time may have created it.
      if (!isFolder(folder)) throw error;
    }
  }
}

/** Creates the data dir if it is missing. Faults with `config.invalid` unless files can be created in it. */
export function openDataDir(path: string): void {
  try {
    makeFolder(path);
    const probe = join(path, `${randomBytes(8).toString("hex")}.tmp`);
    writeFileSync(probe, "", { mode: 0o600, flag: "wx" });
    rmSync(probe);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The fault of a data dir that is not writable. */
export function unwritable(path: string, error: unknown): Fault {
  const why = error instanceof Error ? error.message : "unknown";
  return new Fault(
    "config.invalid",
    `--data-dir ${path}: cannot be written (${why}); name a folder this process may write to`,
  );
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
