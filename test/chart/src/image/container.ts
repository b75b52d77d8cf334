import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ImageSettings } from "../../../../infra/docker/image-settings.ts";

/** One run of the image's root file system, as much like a restricted pod as this machine allows. */
export interface Container extends AsyncDisposable {
  readonly pid: number;
  readonly output: () => string;
  readonly ended: Promise<number | string>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

export interface ContainerOptions {
  readonly root: string;
  readonly settings: ImageSettings;
  readonly args: readonly string[];
  /** Put into the data dir: name → text. */
  readonly files?: Readonly<Record<string, string>>;
}

/** What a container runtime mounts: the root read-only, a volume of its own, /tmp, /proc and /dev. */
const mounts = `
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1/var/lib/fleet-reloader"
mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
`;

export type Isolation = "read-only" | "writable";

/** Whether this machine lets us mount; the way there differs for root and others. */
export function isolationHere(): {
  readonly isolation: Isolation;
  readonly unshare: readonly string[];
  readonly isRoot: boolean;
} {
  const isRoot = process.getuid?.() === 0;
  const unshare = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount"];
  const probe = "d=$(mktemp -d) && mount -t tmpfs tmpfs $d && mount --bind $d $d";
  const [program = "", ...args] = [...unshare, "sh", "-ec", probe];
  if (spawnSync(program, args, { stdio: "ignore" }).status === 0)
    return { isolation: "read-only", unshare, isRoot };
  if (!isRoot)
    throw new Error(
      "the image can be tried by root only on this machine: it allows no user namespaces to others (sysctl kernel.unprivileged_userns_clone)",
    );
  console.error("this machine allows no mounts: the image is tried without a read-only root");
  return { isolation: "writable", unshare: [], isRoot };
}

export function startContainer(options: ContainerOptions): Container {
  const { root, settings, args } = options;
  const { isolation, unshare, isRoot } = isolationHere();
  const [user = 0, group = 0] = settings.user.split(":").map(Number);
  const data =
    isolation === "read-only"
      ? mkdtempSync(join(tmpdir(), "fr-image-"))
      : join(root, "var/lib/fleet-reloader");
  mkdirSync(data, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(data, name)), { recursive: true });
    writeFileSync(join(data, name), text);
  }
  if (isRoot)
    for (const path of [data, ...Object.keys(options.files ?? {}).map((name) => join(data, name))])
      chownSync(path, user, group);

  const enter = [
    "chroot",
    ...(isRoot ? [`--userspec=${settings.user}`] : []),
    root,
    ...settings.entrypoint,
    ...args,
  ];
  const inside = ["setpriv", "--no-new-privs", ...enter];
  const [program = "", ...rest] =
    isolation === "read-only"
      ? [...unshare, "sh", "-ec", `${mounts}\nshift 2\nexec "$@"`, "sh", root, data, ...inside]
      : inside;
  const child: ChildProcess = spawn(program, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    // The programs that lead into the root are looked for with PATH; inside it is the image's own that counts.
    env: { ...settings.env, PATH: `${settings.env.PATH ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin` },
  });
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  return {
    // Each step on the way in replaces the one before: this is the process of the entrypoint.
    pid: child.pid ?? -1,
    output: () => Buffer.concat(chunks).toString("utf8"),
    ended,
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      if (isolation === "read-only") rmSync(data, { recursive: true, force: true });
    },
  };
}
