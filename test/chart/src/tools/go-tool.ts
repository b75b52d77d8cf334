import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "@fleet-reloader/control-plane/build";
import { deathSignalPrefix } from "@fleet-reloader/control-plane/lifeline";
import { withLock } from "@fleet-reloader/control-plane/lock";

/** Versions are pinned by tools/go.mod, contents by tools/go.sum. */
const moduleFolder = join(import.meta.dirname, "../../tools");
/** What each is built from; the seconds are those of an idle machine with 2 cores and an empty build cache. */
const tools = {
  helm: { from: "helm.sh/helm/v4/cmd/helm", coldSeconds: 110 },
  kubeconform: { from: "github.com/yannh/kubeconform/cmd/kubeconform", coldSeconds: 25 },
  kustomize: { from: "sigs.k8s.io/kustomize/kustomize/v5", coldSeconds: 5 },
} as const;
/** Room for Go to name every package it could not compile. */
const outputBytesMax = 16 * 1024 * 1024;

export type ToolName = keyof typeof tools;
export const toolNames: readonly ToolName[] = ["kubeconform", "helm", "kustomize"];

/**
 * The path of a tool: what is on PATH, else our own, built first when this version was never built here. Safe to call from
 * many processes at once: one builds, the others wait for it.
 */
export async function ensureTool(
  name: ToolName,
  log: (line: string) => void = console.error,
): Promise<string> {
  const found = onPath(name);
  if (found !== undefined) return found;
  const binary = join(cacheFolder(), name);
  if (await isExecutable(binary)) return binary;
  await mkdir(dirname(binary), { recursive: true });
  const onWait = () => log(`waiting for another process that is building ${name}`);
  await withLock(`${binary}.lock`, onWait, async () => {
    if (!(await isExecutable(binary))) await build(name, binary, log);
  });
  return binary;
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Named after what it is built from, so that a changed version never meets an old binary. */
function cacheFolder(): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(moduleFolder, file)));
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "fleet-reloader", "chart-tools", hash.digest("hex").slice(0, 16));
}

async function build(name: ToolName, binary: string, log: (line: string) => void): Promise<void> {
  log(`building ${name} once, about ${tools[name].coldSeconds} seconds`);
  const unfinished = `${binary}.${process.pid}`;
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", unfinished];
  const [file = "go", ...args] = [...deathSignalPrefix(), "go", "build", ...flags, tools[name].from];
  try {
    await promisify(execFile)(file, args, {
      cwd: moduleFolder,
      env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
      maxBuffer: outputBytesMax,
    });
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
