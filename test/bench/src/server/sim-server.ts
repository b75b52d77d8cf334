import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orEnd, startChild } from "../child/child.ts";
import type { BenchServer, ServerOptions } from "./bench-server.ts";
import type { SimMethods } from "./methods.ts";

/** It keeps all objects and their history; Node's own limit is about 4 GB on a machine of 16 GB and more. */
const HEAP_MB = 12_000;

export async function startSimServer({ controllers }: ServerOptions): Promise<BenchServer> {
  const file = new URL("./sim-process.ts", import.meta.url);
  const child = startChild<SimMethods>(file, [`--max-old-space-size=${HEAP_MB}`]);
  const { url, token, kubeconfig } = await orEnd(child, child.ask("start", { controllers }));
  const folder = mkdtempSync(join(tmpdir(), "bench-sim-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  writeFileSync(kubeconfigPath, kubeconfig, { mode: 0o600 });
  return {
    description: `simulated API server, plain HTTP, controllers ${controllers ? "on" : "off"}`,
    target: { url, token },
    kubeconfigPath,
    pids: [child.pid],
    requests: () => child.ask("requests", undefined),
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
