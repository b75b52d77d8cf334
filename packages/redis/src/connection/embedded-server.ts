import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { moveAside, saysDamaged } from "./embedded-files.ts";

export interface EmbeddedServerOptions {
  /** Holds the append-only file, the socket and the pid file; it exists. */
  readonly dataDir: string;
  /** Where executables are looked for, as in the variable PATH. */
  readonly searchPath: string;
  readonly clock: Clock;
  readonly log: Log;
}

const binaries = ["redis-server", "valkey-server"];
/** Soon, since one that was killed is back at once; one that cannot start is not back for being asked ten times a second. */
const restartAfter = { firstMs: 100, longestMs: 10_000 };
/** One that ran for so long had started. */
const startedMs = 1000;
/** Ends in a row that say the files are damaged; a single one may have met a disk that was not there yet. */
const damagedMax = 3;
/** It writes what the last second brought; the chart gives a pod 45 s, and the rest of the product takes up to 32. */
const stopMs = 5000;
/** At its log level it says a few lines at its start, and why it ends; the last is what is kept. */
const saidMax = 2000;
/** A unix socket's path has room for 107 bytes (man 7 unix). */
const socketPathMax = 107;

/** Where the embedded server of a data dir listens. */
export function embeddedSocket(dataDir: string): string {
  return join(dataDir, "redis.sock");
}

/**
 * A `redis-server` of our own: child process, unix socket, append-only file. Started again when it dies, ended with us, also
 * when we are killed (where `setpriv` is there; otherwise the next start ends the one that was left behind).
 */
export class EmbeddedServer {
  readonly socketPath: string;
  readonly #options: EmbeddedServerOptions;
  readonly #command: readonly [string, ...string[]];
  #child: ChildProcess | undefined;
  #isStopping = false;
  /** How many in a row ended before they had started. */
  #failedStarts = 0;
  /** How many in a row could not read the files. */
  #damagedEnds = 0;

  private constructor(options: EmbeddedServerOptions, command: readonly [string, ...string[]]) {
    this.#options = options;
    this.#command = command;
    this.socketPath = embeddedSocket(options.dataDir);
  }

  static async start(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const server = new EmbeddedServer(options, commandFor(options));
    await server.#endLeftover();
    server.#spawn();
    await server.#listening();
    return server;
  }

  /** Some 11 ms on an idle machine; when it takes too long the connection goes on trying and says so. */
  async #listening(): Promise<void> {
    const never = new AbortController().signal;
    for (let waitedMs = 0; waitedMs < 5000 && !existsSync(this.socketPath); waitedMs += 5)
      await this.#options.clock.sleep(5, never);
  }

  /** Saves and ends the server; one that does not end by itself is killed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    // One that was killed has no exit code, and will not exit again.
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const { clock, log } = this.#options;
    await atMost(stopMs, clock, ended);
    if (child.exitCode !== null || child.signalCode !== null) return;
    log.warn({ pid: child.pid, afterMs: stopMs }, "redis-server does not end; it is killed");
    endGroup(child);
    await ended;
  }

  #spawn(): void {
    const [program, ...args] = this.#command;
    const child = spawn(program, [...args, ...settings(this.#options.dataDir, this.socketPath)], {
      stdio: ["ignore", "pipe", "ignore"],
      // A group of its own: Ctrl-C in a terminal is for us, and we end Redis when nothing needs it any more.
      detached: true,
    });
    this.#child = child;
    const { clock, log } = this.#options;
    const startedAt = clock.monotonic();
    let said = "";
    let isOver = false;
    const over = (code: number | null, signal: string | null): void => {
      if (!isOver) this.#ended(startedAt, said, [code, signal]);
      isOver = true;
    };
    // Without descriptors to spare there is none.
    child.stdout?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-saidMax);
    });
    child.stdout?.on("error", () => undefined);
    child.once("error", (error) => {
      log.error({ err: error.message }, "redis-server cannot be started");
      // What was never started may have no end, either.
      if (child.pid === undefined) over(null, null);
    });
    child.once("exit", () => endGroup(child));
    // Only then has all been read that it said.
    child.once("close", over);
  }

  #ended(startedAt: number, said: string, [code, signal]: readonly [number | null, string | null]): void {
    const { clock, dataDir, log } = this.#options;
    if (this.#isStopping) return;
    this.#failedStarts = clock.monotonic() - startedAt < startedMs ? this.#failedStarts + 1 : 0;
    const { firstMs, longestMs } = restartAfter;
    const retryInMs = Math.min(longestMs, firstMs * 2 ** Math.max(0, this.#failedStarts - 1));
    const err = lastLine(said);
    log.warn({ code, signal, retryInMs, dataDir, err }, "redis-server ended; starting it again");
    this.#damagedEnds = saysDamaged(said) ? this.#damagedEnds + 1 : 0;
    if (this.#damagedEnds >= damagedMax) this.#startEmpty(err);
    const never = new AbortController().signal;
    void clock.sleep(retryInMs, never).then(() => {
      if (!this.#isStopping) this.#spawn();
    });
  }

  /** What it kept can be rebuilt from the clusters: what pods carry is noted there. */
  #startEmpty(err: string): void {
    const { dataDir, log } = this.#options;
    this.#damagedEnds = 0;
    this.#failedStarts = 0;
    try {
      const movedTo = moveAside(dataDir);
      log.error(
        { dataDir, movedTo, err },
        "redis-server cannot read its files; they are moved aside, and it starts empty",
      );
    } catch (error) {
      log.error(
        { dataDir, err: asFault(error).message },
        "damaged files of redis-server cannot be moved aside",
      );
    }
  }

  /** One that outlived its parent still holds the append-only file. */
  async #endLeftover(): Promise<void> {
    const { dataDir } = this.#options;
    const pidFile = join(dataDir, "redis.pid");
    const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : Number.NaN;
    if (Number.isInteger(pid) && isRedisIn(dataDir, pid)) {
      if (hasLivingParent(pid)) {
        throw new Fault(
          "config.invalid",
          `--data-dir ${dataDir}: another fleet-reloader is running on it; give each its own, or share one Redis with --redis-url`,
        );
      }
      this.#options.log.warn({ pid }, "ending a redis-server that was left behind");
      process.kill(pid, "SIGTERM");
      await this.#gone(pid);
      // Two that write one append-only file damage it.
      if (isRedisIn(dataDir, pid)) {
        this.#options.log.warn({ pid, afterMs: stopMs }, "redis-server does not end; it is killed");
        endGroup({ pid });
        await this.#gone(pid);
      }
    }
    rmSync(this.socketPath, { force: true });
  }

  /** Until a server of this folder that is no child of ours has ended, or `stopMs` are over. */
  async #gone(pid: number): Promise<void> {
    const { clock, dataDir } = this.#options;
    const never = new AbortController().signal;
    const until = clock.monotonic() + stopMs;
    while (clock.monotonic() < until && isRedisIn(dataDir, pid)) await clock.sleep(50, never);
  }
}

function commandFor(options: EmbeddedServerOptions): readonly [string, ...string[]] {
  const { dataDir, searchPath } = options;
  if (Buffer.byteLength(embeddedSocket(dataDir)) > socketPathMax) {
    throw new Fault(
      "config.invalid",
      `--data-dir ${dataDir}: the path is too long for a unix socket; use one of at most ${socketPathMax - 11} bytes`,
    );
  }
  try {
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown";
    throw new Fault(
      "config.invalid",
      `--data-dir ${dataDir}: cannot be written (${why}); name a folder this process may write to`,
    );
  }
  const binary = binaries.map((name) => findServer(name, searchPath)).find((path) => path !== undefined);
  if (binary === undefined) {
    throw new Fault(
      "config.invalid",
      "no redis-server or valkey-server on PATH: install one (Debian: apt-get install redis-server), or name a running one with --redis-url",
    );
  }
  const setpriv = findServer("setpriv", searchPath);
  return setpriv === undefined ? [binary] : [setpriv, "--pdeathsig", "TERM", binary];
}

/** A saving child process would keep the connections open until it has saved, and callers would go on waiting for an answer. */
function endGroup({ pid }: Pick<ChildProcess, "pid">): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left.
  }
}

/** Why it ended stands last, after `pid:role date #`. */
function lastLine(said: string): string {
  const line = said.trimEnd().split("\n").at(-1) ?? "";
  return line.replace(/^\d+:\S+ .*? [#*.-] /, "");
}

function settings(dataDir: string, socketPath: string): readonly string[] {
  return [
    ...["--port", "0", "--unixsocket", socketPath, "--unixsocketperm", "700"],
    ...["--dir", dataDir, "--pidfile", join(dataDir, "redis.pid"), "--daemonize", "no"],
    ...["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""],
    // hz: a delayed request is late by half of it at most; noeviction: queued work must not vanish.
    ...["--maxmemory-policy", "noeviction", "--hz", "50", "--loglevel", "warning"],
    // A queue entry's options are longer than the 64 bytes up to which a small hash lies in one piece: a third off its memory.
    ...["--hash-max-listpack-value", "512"],
  ];
}

function findServer(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Since the file was written, the number may have been given to anybody, also to somebody else's Redis. */
function isRedisIn(dataDir: string, pid: number): boolean {
  try {
    const workingDir = readlinkSync(`/proc/${pid}/cwd`);
    return workingDir === realpathSync(dataDir) && /redis|valkey/.test(readProc(pid, "comm"));
  } catch {
    return false;
  }
}

/** An orphan belongs to init (1); everything else has somebody who cares for it. */
function hasLivingParent(pid: number): boolean {
  const parent = Number(/^PPid:\s*(\d+)/m.exec(readProc(pid, "status"))?.[1] ?? 1);
  return /node|MainThread/.test(readProc(parent, "comm"));
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
