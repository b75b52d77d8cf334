import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { parse, stringify } from "yaml";
import type { Fleet } from "./fleet.ts";
import { clusterNames, seedsByCluster } from "./seeds/clusters.ts";

/** The world before the product comes: clusters with workloads, and a folder that goes with them. */
export interface Stage extends AsyncDisposable {
  readonly fleet: Fleet;
  /** A context per cluster, each with its name. */
  readonly kubeconfigPath: string;
  readonly dataDir: string;
}

/** Pods take a moment to start, as a person expects; the story does not wait for more than the first. */
const rolloutMs = 400;

export async function setStage(): Promise<Stage> {
  await using steps = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "fleet-reloader-demo-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  process.once("exit", remove);
  steps.defer(() => {
    process.removeListener("exit", remove);
    remove();
  });

  // kubectl sends a token over TLS only.
  const start = async (name: string) => steps.use(await startSimCluster({ name, tls: true, rolloutMs }));
  const fleet: Fleet = { nova: await start("nova"), otech62: await start("otech62") };
  for (const name of clusterNames) {
    for (const manifest of seedsByCluster[name])
      fleet[name].apply(manifest, { user: "seed", manager: "seed" });
  }
  const kubeconfigPath = join(folder, "kubeconfig");
  writeFileSync(kubeconfigPath, merged(clusterNames.map((name) => fleet[name].kubeconfig())), {
    mode: 0o600,
  });

  const all = steps.move();
  return {
    fleet,
    kubeconfigPath,
    dataDir: join(folder, "data"),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Kubeconfig {
  readonly clusters: readonly unknown[];
  readonly users: readonly unknown[];
  readonly contexts: readonly unknown[];
}

/** One kubeconfig of several; the first one's context is the current one. */
function merged(texts: readonly string[]): string {
  const files: readonly Kubeconfig[] = texts.map((text) => parse(text));
  return stringify({
    ...files[0],
    clusters: files.flatMap(({ clusters }) => clusters),
    users: files.flatMap(({ users }) => users),
    contexts: files.flatMap(({ contexts }) => contexts),
  });
}
