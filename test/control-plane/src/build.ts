import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, constants, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir, setPriority } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deathSignalPrefix } from "./lifeline.ts";
import { withLock } from "./lock.ts";

const SOURCE_DIRECTORY = join(import.meta.dirname, "..");
/** Said to whoever waits; measured on 2 cores with an empty build cache, see README.md. */
const COLD_BUILD_MINUTES = 4;
/** Below the tests and editors that run meanwhile. */
const BUILD_NICENESS = 10;
/** Room for Go to name every package it could not compile. */
const BUILD_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

interface Source {
  readonly hash: string;
  /** The lowest Go that go.mod allows. */
  readonly goVersion: string;
  readonly kubernetesVersion: string;
}

/**
 * The path of our control plane binary, built first when this source was never built here. The
 * folder it lies in is named after a hash of the source, so a changed source never meets an old
 * binary. Safe to call from many processes at once: one builds, the others wait for it.
 */
export async function ensureBinary(options: { readonly log?: (line: string) => void } = {}): Promise<string> {
  const log = options.log ?? console.error;
  const source = await readSource();
  const binary = join(cacheDirectory(), source.hash, "control-plane");
  if (await isExecutable(binary)) return binary;
  await mkdir(dirname(binary), { recursive: true });
  const onWait = () => log("waiting for another process that is building the control plane");
  await withLock(`${binary}.lock`, onWait, async () => {
    if (!(await isExecutable(binary))) await build(binary, source, log);
  });
  return binary;
}

/** Whether the file is there and may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function readSource(): Promise<Source> {
  const names = (await readdir(SOURCE_DIRECTORY)).filter((name) => /^go\.(mod|sum)$|\.go$/.test(name)).sort();
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const name of names) hash.update(`${name}\n`).update(await readFile(join(SOURCE_DIRECTORY, name)));
  const module = await readFile(join(SOURCE_DIRECTORY, "go.mod"), "utf8");
  return {
    hash: hash.digest("hex").slice(0, 16),
    goVersion: /^go (\S+)$/m.exec(module)?.[1] ?? "unknown",
    kubernetesVersion: /k8s\.io\/kubernetes (v\S+)/.exec(module)?.[1] ?? "unknown",
  };
}

function cacheDirectory(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "fleet-reloader", "control-plane");
}

async function build(binary: string, source: Source, log: (line: string) => void): Promise<void> {
  log(
    `building the control plane (Kubernetes ${source.kubernetesVersion}) once, about ${COLD_BUILD_MINUTES} minutes`,
  );
  const startedAt = performance.now();
  const unfinished = `${binary}.${process.pid}`;
  try {
    await runGo(buildArguments(unfinished, source.kubernetesVersion));
    // Into place in one step: whoever sees the binary sees all of it.
    await rename(unfinished, binary);
  } catch (error) {
    throw new Error(`cannot build the control plane: ${mend(error, source.goVersion)}`, { cause: error });
  } finally {
    await rm(unfinished, { force: true });
  }
  log(`built ${binary} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

function buildArguments(output: string, kubernetesVersion: string): readonly string[] {
  const [major = "", minor = ""] = kubernetesVersion.slice(1).split(".");
  const version = "k8s.io/component-base/version";
  const linker = [
    "-s -w",
    // What /version answers and user agents carry; a plain build calls itself v0.0.0-master.
    `-X ${version}.gitVersion=${kubernetesVersion} -X ${version}.gitMajor=${major} -X ${version}.gitMinor=${minor}`,
  ];
  // grpcnotrace, as upstream's own build: lets the linker drop what nobody calls.
  return [
    "build",
    "-trimpath",
    "-buildvcs=false",
    "-tags=grpcnotrace",
    `-ldflags=${linker.join(" ")}`,
    "-o",
    output,
    ".",
  ];
}

async function runGo(args: readonly string[]): Promise<void> {
  const [file = "go", ...rest] = [...deathSignalPrefix(), "go", ...args];
  const running = promisify(execFile)(file, rest, {
    cwd: SOURCE_DIRECTORY,
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
    maxBuffer: BUILD_OUTPUT_BYTES_MAX,
  });
  if (running.child.pid !== undefined) setPriority(running.child.pid, BUILD_NICENESS);
  await running;
}

/** What Go said, and for a missing or old Go what to do about it. */
function mend(error: unknown, goVersion: string): string {
  const message = error instanceof Error ? error.message : String(error);
  // Node puts the whole command line before what the command wrote.
  const said = message.replace(/^Command failed: .*\n?/, "").trim() || message;
  const isGoMissing = /ENOENT|failed to execute go\b/.test(said);
  if (!isGoMissing && !said.includes("go.mod requires go >=")) return said;
  return (
    `${isGoMissing ? "`go` is not on PATH" : said}. Install Go ${goVersion} or newer, or set ` +
    "KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kube-controller-manager."
  );
}
