import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { withLock } from "@fleet-reloader/control-plane/lock";

/** KEDA as we build it: the folder of its Go module, and what that was made from. */
export interface KedaSource {
  readonly folder: string;
  readonly hash: string;
}

const moduleFolder = join(import.meta.dirname, "../module");
const withoutClouds = join(import.meta.dirname, "../without-clouds");
const kedaModule = "github.com/kedacore/keda/v2";
/** What the operator, the adapter and the API server need of the module. */
const parts = [
  ...["apis", "cmd/adapter", "cmd/operator", "config/crd/bases", "controllers", "pkg", "version"],
  ...["go.mod", "go.sum"],
];
/** The triggers that the chart offers. The others need the clients of clouds and databases: two thirds of all packages. */
const triggers = ["external-push", "metrics-api"];
const scalerFiles = ["external_scaler.go", "metrics_api_scaler.go", "scaler.go"];
const scalerFolders = ["authentication", "externalscaler", "scalersconfig"];
/** Replaced by files of ours, which refuse. */
const cloudFiles =
  /^pkg\/(eventemitter\/azure_event_grid_topic_handler|scaling\/resolver\/(aws_secretmanager|azure_keyvault|gcp_secretmanager)_handler)\.go$/;
const testFiles = /_test\.go$|^pkg\/mock\/|^pkg\/util\/ginkgo_reporter\.go$/;
const builder = "pkg/scaling/scalers_builder.go";

/**
 * The source of KEDA, unmodified but for the clients of clouds and databases, which are left out with their triggers. Go checks its content
 * by module/go.sum; KEDA's own go.sum does so for what it needs. Made once for each version, and for each change of what we leave out.
 */
export async function kedaSource(): Promise<KedaSource> {
  const hash = hashOfOurs();
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const parent = join(cache, "fleet-reloader", "keda-source");
  const folder = join(parent, hash);
  await mkdir(parent, { recursive: true });
  await withLock(
    `${folder}.lock`,
    () => undefined,
    async () => {
      if (existsSync(folder)) return;
      const unfinished = `${folder}.${process.pid}`;
      await rm(unfinished, { recursive: true, force: true });
      assemble(await download(), unfinished);
      await rename(unfinished, folder);
    },
  );
  return { folder, hash };
}

function hashOfOurs(): string {
  const hash = createHash("sha256");
  const files = [import.meta.filename, ...filesOf(moduleFolder), ...filesOf(withoutClouds)];
  for (const path of files.sort()) hash.update(`${basename(path)}\n`).update(readFileSync(path));
  return hash.digest("hex").slice(0, 16);
}

/** Where Go has put the module. */
async function download(): Promise<string> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", kedaModule], {
    cwd: moduleFolder,
    env: { ...process.env, GOWORK: "off" },
  });
  const told: unknown = JSON.parse(stdout);
  if (typeof told !== "object" || told === null || !("Dir" in told))
    throw new Error(`go mod download ${kedaModule}: ${stdout}`);
  return String(told.Dir);
}

function assemble(module: string, folder: string): void {
  const needed = parts.flatMap((part) => filesOf(join(module, part)).map((path) => relative(module, path)));
  for (const path of needed.filter(isNeeded)) copy(join(module, path), join(folder, path));
  for (const path of filesOf(withoutClouds)) copy(path, join(folder, relative(withoutClouds, path)));
  const path = join(folder, builder);
  writeFileSync(path, withTriggers(readFileSync(path, "utf8")));
}

/** A file itself, or all files below a folder. */
function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Without the modes: everything in the module cache is read-only. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, readFileSync(from));
}

function isNeeded(path: string): boolean {
  if (testFiles.test(path) || cloudFiles.test(path)) return false;
  const scaler = /^pkg\/scalers\/([^/]+)/.exec(path)?.[1];
  return scaler === undefined || [...scalerFiles, ...scalerFolders].includes(scaler);
}

/** The only place that names all triggers. */
function withTriggers(source: string): string {
  const kept = new Set<string>();
  const reduced = source.replace(/\tcase "([^"]+)":\n\t\treturn .*\n/g, (text, trigger: string) => {
    if (!triggers.includes(trigger)) return "";
    kept.add(trigger);
    return text;
  });
  if (kept.size !== triggers.length)
    throw new Error(`${basename(builder)} builds scalers in another way now`);
  return reduced;
}
