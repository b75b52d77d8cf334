import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

/** A Redis of a test's own, on a free port of the loopback. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
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

export async function startRedis(): Promise<TestRedis> {
  return await startRedisNode("alone");
}

export async function startRedisNode(role: "alone" | "cluster"): Promise<RedisNode> {
  const directory = mkdtempSync(join(tmpdir(), "fr-redis-"));
  const port = await freePort();
  const busPort = await freePort();
  const settings = [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", directory],
    ...["--save", "", "--appendonly", "yes"],
    // As the Redis is set up that comes with us.
    ...["--hash-max-listpack-value", "512"],
    ...(role === "alone" ? [] : ["--cluster-enabled", "yes", "--cluster-port", String(busPort)]),
  ];
  let child = await spawnServer(settings);
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
    busPort,
    kill,
    async restart() {
      await kill();
      child = await spawnServer(settings);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function spawnServer(settings: readonly string[]): Promise<ChildProcess> {
  const child = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  await until("redis-server accepts connections", () => output.includes("Ready to accept connections"));
  return child;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
