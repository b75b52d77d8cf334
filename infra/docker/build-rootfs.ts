import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { addEntry } from "../bundle/entry.ts";
import { installedClosure } from "./npm-packages.ts";
import { sharedLibraries } from "./shared-libraries.ts";

/**
 * `node build-rootfs.ts FOLDER`: puts together everything that is in the image, and nothing else. The Dockerfile does no more
 * than run this; a test runs it on the machine at hand and starts the product inside.
 */
const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** `nobody`, as the chart runs it. */
const userId = 65_534;

const [target] = process.argv.slice(2);
if (target === undefined || target.startsWith("-")) {
  process.stderr.write("build-rootfs: name the folder to fill, for example /rootfs\n");
  process.exit(2);
}
const inRoot = (path: string): string => join(target, path);

// A slip of the hand must not cost a folder that holds something else.
if (existsSync(target) && readdirSync(target).length > 0) {
  process.stderr.write(
    `build-rootfs: ${target} is not empty; name a folder that is new, or remove it first\n`,
  );
  process.exit(2);
}
addProgram(process.execPath, "/usr/bin/node");
addProgram(findRedis(), "/usr/bin/redis-server");
await addServices();
addBoardPackages();
addSettings();

function addProgram(program: string, path: string): void {
  copy(program, path, 0o755);
  for (const library of sharedLibraries(program)) copy(library, library, 0o755);
}

function findRedis(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = ["redis-server", "valkey-server"]
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(
      "no redis-server or valkey-server on PATH: install one (Debian: apt-get install redis-server)",
    );
  return found;
}

async function addServices(): Promise<void> {
  copyBundle("infra/docker/dist/main.mjs", "/app/main.mjs");
  copy(join(repository, "infra/bundle/node-args"), "/app/node-args", 0o644);
  copy(join(repository, "LICENSE"), "/app/LICENSE", 0o644);
  const folders = ["standalone", "watcher", "worker", "dashboard", "cli"].map(
    (service) => `services/${service}/dist`,
  );
  const bundles = folders.map((folder) => `${folder}/bundle.mjs`);
  const lazy = ["queue-board.mjs", "page-files.mjs", "openid-library.mjs"];
  const pages = [...lazy, "page/page.js", "page/page.css"].map((file) => `packages/dashboard/dist/${file}`);
  for (const bundle of [...bundles, ...pages]) copyBundle(bundle, `/app/${bundle}`);
  for (const folder of folders) await addEntry(inRoot(`/app/${folder}`), `/app/${folder}`, runInRoot);
  // For kubectl exec: the image has no shell, and no env that would find Node.
  write("/usr/bin/fleet-reloader", '#!/usr/bin/node\nimport("/app/services/cli/dist/main.mjs");\n');
  chmodSync(inRoot("/usr/bin/fleet-reloader"), 0o755);
}

/** What is compiled holds the path of its bundle, so it is compiled where it will lie. */
async function runInRoot(args: readonly string[]): Promise<void> {
  const [program, ...before] =
    process.getuid?.() === 0 ? ["chroot"] : ["unshare", "--map-root-user", "--root"];
  try {
    await promisify(execFile)(program, [...before, target, "/usr/bin/node", ...args], {
      env: { PATH: process.env.PATH },
    });
  } catch (error) {
    process.stderr.write(
      `build-rootfs: a service starts slower, since it could not be compiled: ${String(error)}\n`,
    );
  }
}

function copyBundle(bundle: string, path: string): void {
  const from = join(repository, bundle);
  if (!existsSync(from)) throw new Error(`${bundle} is missing: run node infra/bundle/bundle.ts first`);
  copy(from, path, 0o644);
}

/** The queue board finds its pages beside its packages, so these are not in a bundle. */
function addBoardPackages(): void {
  const modules = "packages/dashboard/node_modules";
  const links = ["@bull-board/api", "@bull-board/express", "@bull-board/ui", "express"].map((name) =>
    join(repository, modules, name),
  );
  // An optional peer of the board, which is about nothing but its queues.
  const packages = installedClosure(links, ["bullmq"]);
  for (const { path, links: needed } of packages) {
    cpSync(path, inRoot(`/app/${relative(repository, path)}`), { recursive: true, filter: isForRunning });
    for (const link of needed) addLink(link);
  }
  for (const link of links) addLink(link);
}

/** Types, source maps and texts for developers stay behind; licences do not. */
function isForRunning(path: string): boolean {
  return (
    !/\.(map|[cm]?ts|tsx|md|markdown)$/i.test(path) && !/\/node_modules\/[^@/][^/]*\/node_modules$/.test(path)
  );
}

function addLink(link: string): void {
  const path = inRoot(`/app/${relative(repository, link)}`);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const aim = readlinkSync(link);
  symlinkSync(aim.startsWith("/") ? relative(realpathSync(dirname(link)), aim) : aim, path);
}

function addSettings(): void {
  write("/etc/passwd", `nonroot:x:${userId}:${userId}::/var/lib/fleet-reloader:/nonexistent\n`);
  write("/etc/group", `nonroot:x:${userId}:\n`);
  // Names first from /etc/hosts, where kubelet writes, then from the cluster's DNS.
  write("/etc/nsswitch.conf", "hosts: files dns\n");
  for (const folder of ["/etc/fleet-reloader", "/dev", "/proc", "/sys"])
    mkdirSync(inRoot(folder), { recursive: true });
  mkdirSync(inRoot("/tmp"), { recursive: true });
  chmodSync(inRoot("/tmp"), 0o1777);
  const data = inRoot("/var/lib/fleet-reloader");
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o700);
  if (process.getuid?.() === 0) chownSync(data, userId, userId);
  else
    process.stderr.write(
      "build-rootfs: not root, so /var/lib/fleet-reloader stays ours; mount a volume there\n",
    );
}

function write(path: string, text: string): void {
  mkdirSync(dirname(inRoot(path)), { recursive: true });
  writeFileSync(inRoot(path), text);
}

function copy(from: string, path: string, mode: number): void {
  mkdirSync(dirname(inRoot(path)), { recursive: true });
  copyFileSync(from, inRoot(path));
  chmodSync(inRoot(path), mode);
}
process.stdout.write(`${readdirSync(target).join(" ")}\n`);
