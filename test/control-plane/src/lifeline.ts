import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Ties processes and a temporary folder to the life of this process. */
export interface Lifeline extends AsyncDisposable {
  /** Removed on disposal, or else when this process ends. */
  readonly directory: string;
  /** Has the child killed when this process ends before it. */
  readonly hold: (child: ChildProcess) => void;
}

/** Each line names all living children; when there are no more lines: kill them, wait for that, remove the folder. */
const REAPER = 'while read -r line; do pids=$line; done; kill -9 $pids; sleep 1; rm -rf -- "$1"';

/**
 * Test runners end their workers by a signal, which leaves no time to clean up, and etcd alone
 * reserves 120 MB of disk. So a tiny shell in a session of its own holds a pipe from us and does the
 * rest when that closes, however we ended.
 */
export async function createLifeline(): Promise<Lifeline> {
  const directory = await mkdtemp(join(tmpdir(), "control-plane-"));
  const reaper = spawn("sh", ["-c", REAPER, "reaper", directory], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  await once(reaper, "spawn");
  const reaperEnd = once(reaper, "exit");
  // It waits for our end and must not put it off.
  reaper.unref();
  // Somebody killed it: `stop` and the death signal below still do their part.
  reaper.stdin.on("error", () => undefined);
  const living = new Set<number>();
  const tell = () => reaper.stdin.write(`${[...living].join(" ")}\n`);
  return {
    directory,
    hold: (child) => {
      const { pid } = child;
      if (pid === undefined) return;
      living.add(pid);
      tell();
      child.once("exit", () => {
        living.delete(pid);
        tell();
      });
    },
    [Symbol.asyncDispose]: async () => {
      // Retries: a process killed a moment ago may still be writing its last file.
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      reaper.ref();
      reaper.kill("SIGKILL");
      await reaperEnd;
    },
  };
}

/**
 * Put before a command: has the kernel kill it when we die, at once and even if the reaper is gone.
 * Empty where `setpriv` does not know this (macOS, BusyBox).
 */
export function deathSignalPrefix(): readonly string[] {
  const prefix = ["setpriv", "--pdeathsig", "KILL"];
  return spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0
    ? prefix
    : [];
}
