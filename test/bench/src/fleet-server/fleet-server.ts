import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@fleet-reloader/testkit/until";
import { type Child, orEnd, startChild } from "../child/child.ts";
import type { FleetAccess, FleetMethods, FleetServerOptions } from "./methods.ts";

export interface FleetServer extends AsyncDisposable {
  readonly description: string;
  readonly pid: number;
  readonly ask: Child<FleetMethods>["ask"];
  readonly kubeconfigPath: string;
  /** Of every cluster, in order. */
  readonly contexts: readonly string[];
}

/** A thousand clusters of a thousand objects, as the references have it: a few are used. */
export const usualShape = { used: 20, bystanders: 30, configMaps: 550, secrets: 400 } as const;

const heapMb = 8000;

export async function startFleetServer(options: FleetServerOptions): Promise<FleetServer> {
  const file = new URL("./process.ts", import.meta.url);
  const child = startChild<FleetMethods>(file, [`--max-old-space-size=${heapMb}`]);
  const access = await orEnd(child, child.ask("start", options));
  const folder = mkdtempSync(join(tmpdir(), "bench-fleet-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  const contexts = access.urls.map((_, index) => `c${String(index).padStart(4, "0")}`);
  writeFileSync(kubeconfigPath, kubeconfig(access, contexts), { mode: 0o600 });
  return {
    description: `simulated fleet of ${options.clusters} clusters, ${options.isTls ? "TLS" : "plain HTTP"}, HTTP/1.1`,
    pid: child.pid,
    ask: child.ask,
    kubeconfigPath,
    contexts,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until no change of these clusters waits for its roll; false when the time is up. */
export async function rolledOut(
  fleet: FleetServer,
  clusters: readonly number[],
  timeoutMs: number,
): Promise<boolean> {
  const isDone = async () => (await fleet.ask("waiting", clusters)) === 0;
  return await until("every change is rolled out", isDone, timeoutMs).then(
    () => true,
    () => false,
  );
}

function kubeconfig({ urls, certificatePem }: FleetAccess, contexts: readonly string[]): string {
  const trust =
    certificatePem === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(certificatePem).toString("base64") };
  // JSON is YAML.
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: contexts.map((name, at) => ({ name, cluster: { server: urls[at], ...trust } })),
    users: contexts.map((name) => ({ name, user: { token: `token-of-${name}` } })),
    contexts: contexts.map((name) => ({ name, context: { cluster: name, user: name } })),
    "current-context": contexts[0],
  });
}
