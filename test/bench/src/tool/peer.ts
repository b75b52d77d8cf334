import { spawn } from "node:child_process";
import process from "node:process";
import { until } from "@fleet-reloader/testkit/until";
import type { BenchServer } from "../server/bench-server.ts";
import type { Program } from "./tool.ts";

/** Any reloader that finds its cluster by KUBECONFIG. */
export interface PeerProgram {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** The annotation by which a workload opts in, with the value `true`. */
  readonly optIn: string;
}

const readyTimeoutMs = 60_000;
const endTimeoutMs = 10_000;

/** Ready is who has rolled: `rollsProbe` changes a source and says whether its workload was rolled. */
export async function startPeer(
  server: BenchServer,
  { path, args }: PeerProgram,
  rollsProbe: () => Promise<boolean>,
): Promise<Program> {
  const startedAt = performance.now();
  const child = spawn(path, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KUBECONFIG: server.kubeconfigPath },
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-4000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let whyEnded: string | undefined;
  const ended = new Promise<void>((resolve) => {
    const end = (why: string): void => {
      whyEnded = why;
      resolve();
    };
    child.once("error", ({ message }) => end(message));
    child.once("exit", (code, signal) => end(`it ended: ${signal ?? code}`));
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), endTimeoutMs);
    await ended;
    clearTimeout(timer);
  };
  const isReady = async (): Promise<boolean> => whyEnded !== undefined || (await rollsProbe());
  try {
    await until("the peer rolls a workload", isReady, readyTimeoutMs);
    if (whyEnded !== undefined) throw new Error(whyEnded);
  } catch (error) {
    await stop();
    throw new Error(`${path} does not get ready:\n${output}`, { cause: error });
  }
  return {
    pid: child.pid ?? -1,
    redisSocket: undefined,
    readyMs: performance.now() - startedAt,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
