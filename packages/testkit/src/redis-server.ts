import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pickFreePort } from "./free-port.ts";
import { passed, until } from "./until.ts";

/** A user of a test's Redis. */
export interface TestRedisUser {
  /** Also its password. */
  readonly name: string;
  /** In the words of `ACL SETUSER`. */
  readonly rules: readonly string[];
}

/** A Redis of a test's own, on a free port of the loopback. */
export interface TestRedis extends AsyncDisposable {
  /** For the default user. With users of its own there is none, and `admin` may do everything. */
  readonly url: string;
  readonly port: number;
  readonly urlOf: (user: string) => string;
  /** SIGSTOP hangs it with its connections open, SIGCONT lets it go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Ends it without warning. */
  kill(): Promise<void>;
  /** Starts it again on the same port; what was not written to its append-only file is gone. */
  restart(): Promise<void>;
}

/** One that may be a node of a cluster. */
export interface RedisNode extends TestRedis {
  /** Where the nodes of a cluster talk to each other. */
  readonly busPort: number;
}

/** A port that is drawn by two at once is rare. Where it is drawn so often, something else is wrong. */
const drawsMax = 5;

/** `settings` are added to the command line. */
export async function startRedis(
  users: readonly TestRedisUser[] = [],
  settings: readonly string[] = [],
): Promise<TestRedis> {
  return await startRedisNode("alone", users, settings);
}

export async function startRedisNode(
  role: "alone" | "cluster",
  users: readonly TestRedisUser[] = [],
  more: readonly string[] = [],
): Promise<RedisNode> {
  const directory = mkdtempSync(join(tmpdir(), "fr-redis-"));
  const started = await startAnywhere(role, directory, [...userSettings(users), ...more]);
  const { port, busPort, settings } = started;
  let { child } = started;
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await ended;
    }
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    urlOf: (user) => `redis://${user}:${user}@127.0.0.1:${port}`,
    busPort,
    signal: (signal) => void child.kill(signal),
    kill,
    async restart() {
      await kill();
      child = await spawnAgain(settings);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      // A child that rewrites the append-only file outlives the server for a moment, and may write while we remove.
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function userSettings(users: readonly TestRedisUser[]): readonly string[] {
  if (users.length === 0) return [];
  const admin = { name: "admin", rules: ["~*", "&*", "+@all"] };
  const own = [admin, ...users].flatMap(({ name, rules }) => ["--user", name, "on", `>${name}`, ...rules]);
  // Transactions are read back from the append-only file with the rights of this user.
  return ["--user", "default", "off", "~*", "&*", "+@all", ...own];
}

/** Another test may draw the same port at the same moment. */
async function startAnywhere(role: "alone" | "cluster", directory: string, more: readonly string[]) {
  for (let draw = 1; ; draw += 1) {
    const port = await pickFreePort();
    const busPort = await pickFreePort();
    const settings = [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", directory],
      // Every write is in the file before it is answered. With the default a slow disk delays it, and `kill` would lose some.
      ...["--save", "", "--appendonly", "yes", "--appendfsync", "no"],
      // As the Redis is set up that comes with us.
      ...["--hash-max-listpack-value", "512"],
      ...(role === "alone" ? [] : ["--cluster-enabled", "yes", "--cluster-port", String(busPort)]),
      ...more,
    ];
    try {
      return { port, busPort, settings, child: await spawnServer(settings) };
    } catch (error) {
      if (draw === drawsMax) throw error;
    }
  }
}

/** Whoever looks for a free port holds each one that it tries for a moment. */
async function spawnAgain(settings: readonly string[]): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await spawnServer(settings);
    } catch (error) {
      if (attempt === drawsMax || !String(error).includes("Address already in use")) throw error;
      await passed(1000);
    }
  }
}

async function spawnServer(settings: readonly string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  const isUp = () => child.exitCode !== null || output.includes("Ready to accept connections");
  await until("redis-server accepts connections", isUp);
  if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}:\n${output}`);
  return child;
}
