import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir, setPriority } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "./build.ts";
import { deathSignalPrefix } from "./lifeline.ts";
import { withLock } from "./lock.ts";

/** A program that tests run, and that is built from its Go module where it is not installed. */
export interface GoTool {
  readonly name: string;
  /** The package to build. */
  readonly from: string;
  /** What the build takes on an idle machine with 2 cores and an empty build cache. */
  readonly coldSeconds: number;
  /** Build tags, separated by commas. */
  readonly tags?: string;
  /** With go.mod and go.sum, which pin versions and contents. */
  readonly moduleFolder: string;
  /** For a module that is not as published: a hash of what it was made from. */
  readonly madeFrom?: string;
  /** Folder of the binaries below the cache of this repository. */
  readonly cache: string;
}

/** Room for Go to name every package it could not compile. */
const outputBytesMax = 16 * 1024 * 1024;
/** Below the tests and editors that run meanwhile. */
const buildNiceness = 10;

/**
 * The path of a tool: what is on PATH, else our own, built first when this version was never built here. Safe to call from
 * many processes at once: one builds, the others wait for it.
 */
export async function ensureGoTool(
  tool: GoTool,
  log: (line: string) => void = console.error,
): Promise<string> {
  const found = onPath(tool.name);
  if (found !== undefined) return found;
  const binary = join(cacheFolder(tool), tool.name);
  if (await isExecutable(binary)) return binary;
  await mkdir(dirname(binary), { recursive: true });
  const onWait = () => log(`waiting for another process that is building ${tool.name}`);
  await withLock(`${binary}.lock`, onWait, async () => {
    if (!(await isExecutable(binary))) await build(tool, binary, log);
  });
  return binary;
}

/** Where a program is, when it is on PATH. */
export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Named after what it is built from, so that a changed version never meets an old binary. */
function cacheFolder({ cache: part, madeFrom, moduleFolder, tags }: GoTool): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const more of [tags, madeFrom]) if (more !== undefined) hash.update(`${more}\n`);
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "fleet-reloader", part, hash.digest("hex").slice(0, 16));
}

async function build(tool: GoTool, binary: string, log: (line: string) => void): Promise<void> {
  const { coldSeconds, from, moduleFolder, name, tags } = tool;
  log(`building ${name} once, about ${coldSeconds} seconds on an idle machine`);
  const unfinished = `${binary}.${process.pid}`;
  const tagged = tags === undefined ? [] : [`-tags=${tags}`];
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w", ...tagged, "-o", unfinished];
  const [file = "go", ...args] = [...deathSignalPrefix(), "go", "build", ...flags, from];
  try {
    const running = promisify(execFile)(file, args, {
      cwd: moduleFolder,
      env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
      maxBuffer: outputBytesMax,
    });
    if (running.child.pid !== undefined) setPriority(running.child.pid, buildNiceness);
    await running;
    // Into place in one step: whoever sees the binary sees all of it.
    await rename(unfinished, binary);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cannot build ${name}: ${why}\nInstall Go 1.26 or newer, or put a ${name} of your own on PATH.`,
      { cause: error },
    );
  } finally {
    await rm(unfinished, { force: true });
  }
}
