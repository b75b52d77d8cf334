import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Where a run was made: figures of two machines are not to be compared. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly redis: string;
  readonly commit: string;
  readonly bundleSha256: string;
  readonly isTreeClean: boolean;
}

export function describeMachine(): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    node: process.version,
    redis: outputOf("redis-server", ["--version"]),
    commit: outputOf("git", ["rev-parse", "--short", "HEAD"]),
    bundleSha256: bundleHash(),
    isTreeClean: outputOf("git", ["status", "--porcelain", ":/services", ":/packages"]) === "",
  };
}

/** Of the last minute. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** Of what ran: sources may have changed since it was bundled. */
function bundleHash(): string {
  const bundle = join(import.meta.dirname, "../../../../services/standalone/dist/bundle.mjs");
  return existsSync(bundle) ? createHash("sha256").update(readFileSync(bundle)).digest("hex") : "missing";
}

function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", cwd: import.meta.dirname }).trim();
  } catch {
    return "unknown";
  }
}
