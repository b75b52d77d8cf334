import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { moveAside, saysDamaged } from "./embedded-files.ts";

export interface EmbeddedServerOptions {
  /** Holds the append-only file, the socket and the pid file; it has to exist. */
  readonly dataDir: string;
  /** Where to look for executables, in the format of the variable PATH. */
  readonly searchPath: string;
  readonly clock: Clock;
  readonly log: Log;
}

const binaries = ["redis-server", "valkey-server"];
/** A killed server is restarted quickly. The delay grows, because retrying ten times a second does not help a server that cannot start. */
const restartAfter = { firstMs: 100, longestMs: 10_000 };
/** A server that ran this long counts as started. */
const startedMs = 1000;
/** Consecutive ends with damaged files before they are believed; after a single one the disk may not have been mounted yet. */
const damagedMax = 3;
/** The server writes the last second of data; the chart gives a pod 45 s, and the rest of the product takes up to 32. */
const stopMs = 5000;
/** Characters of output to keep, the last ones. At its log level the server prints a few lines at its start, and the reason of its end. */
const saidMax = 2000;
/** A unix socket's path has room for 107 bytes (man 7 unix). */
const socketPathMax = 107;

/** The socket on which the embedded server of a data dir listens. */
export function embeddedSocket(dataDir: string): string {
  return join(dataDir, "redis.sock");
}

/**
 * A `redis-server` of our own: child process, unix socket, append-only file. It is restarted when it dies, and ends with us, even when we are
 * killed (where `setpriv` exists; otherwise the next start ends the leftover server).
 */
export class EmbeddedServer {
  readonly socketPath: string;
  readonly #options: EmbeddedServerOptions;
  readonly #command: readonly [string, ...string[]];
  #child: ChildProcess | undefined;
  #isStopping = false;
  /** Consecutive ends before the server had started. */
  #failedStarts = 0;
  /** Consecutive ends because the server could not read its files. */
  #damagedEnds = 0;

  private constructor(options: EmbeddedServerOptions, command: readonly [string, ...string[]]) {
    this.#options = options;
    this.#command = command;
    this.socketPath = embeddedSocket(options.dataDir);
  }

  static async start(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const server = new EmbeddedServer(options, commandFor(options.dataDir, options.searchPath));
    await server.#endLeftover();
    server.#spawn();
    await server.#listening();
    return server;
  }

  /** Takes some 11 ms on an idle machine. When it takes too long, the connection keeps trying and logs it. */
  async #listening(): Promise<void> {
    const never = new AbortController().signal;
    for (let waitedMs = 0; waitedMs < 5000 && !existsSync(this.socketPath); waitedMs += 5)
      await this.#options.clock.sleep(5, never);
  }

  /** Saves and ends the server; kills it when it does not end by itself. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    // A killed process has no exit code, and does not exit again.
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
      // A process group of its own: Ctrl-C in a terminal is meant for us, and we end Redis when nothing needs it any more.
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
    // Without free descriptors there is no stdout.
    child.stdout?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-saidMax);
    });
    child.stdout?.on("error", () => undefined);
    child.once("error", (error) => {
      log.error({ err: error.message }, "redis-server cannot be started");
      // A process that was never spawned may emit no `close`.
      if (child.pid === undefined) over(null, null);
    });
    child.once("exit", () => endGroup(child));
    // At `close`, unlike `exit`, all output has been read.
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

  /** The clusters hold the applied states, so everything in the files can be rebuilt. */
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

  /** A server that outlived its parent still holds the append-only file. */
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
      // Two servers that write one append-only file damage it.
      if (isRedisIn(dataDir, pid)) {
        this.#options.log.warn({ pid, afterMs: stopMs }, "redis-server does not end; it is killed");
        endGroup({ pid });
        await this.#gone(pid);
      }
    }
    rmSync(this.socketPath, { force: true });
  }

  /** Waits until a server of this folder that is not our child has ended, or `stopMs` have passed. */
  async #gone(pid: number): Promise<void> {
    const { clock, dataDir } = this.#options;
    const never = new AbortController().signal;
    const until = clock.monotonic() + stopMs;
    while (clock.monotonic() < until && isRedisIn(dataDir, pid)) await clock.sleep(50, never);
  }
}

function commandFor(dataDir: string, searchPath: string): readonly [string, ...string[]] {
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

/** A child process of Redis that is saving would keep the connections open until it has finished, and callers would wait that long. */
function endGroup({ pid }: Pick<ChildProcess, "pid">): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // No process is left.
  }
}

/** The last line tells why the server ended, after `pid:role date #`. */
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
    // The options of a queue entry exceed the default limit of 64 bytes for a compact small hash. This saves a third of its memory.
    ...["--hash-max-listpack-value", "512"],
  ];
}

function findServer(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Checks the process itself: since the pid file was written, the number may have gone to another process, even to another Redis. */
function isRedisIn(dataDir: string, pid: number): boolean {
  try {
    const workingDir = readlinkSync(`/proc/${pid}/cwd`);
    return workingDir === realpathSync(dataDir) && /redis|valkey/.test(readProc(pid, "comm"));
  } catch {
    return false;
  }
}

/** An orphan belongs to init (1); any other process has a parent that looks after it. */
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
