import { testKeyring, testSha1 } from "@fleet-reloader/domain/fixture/test-keys";
import { createExplain, type ExplainOptions } from "@fleet-reloader/engine/ask/explain";
import { type AskedCluster, createPlanSource } from "@fleet-reloader/engine/ask/plan-source";
import type { createTestBed } from "./test-bed.ts";

/** Questions about the API server, the queue and the brakes of a test bed. */
export function askingOf(bed: ReturnType<typeof createTestBed>, own: Partial<ExplainOptions> = {}) {
  const { brakes, clock, cluster, lifetime, names, queue, records, settings } = bed;
  const options: ExplainOptions = {
    keys: testKeyring("k1"),
    sha1: testSha1,
    lifetime: lifetime.signal,
    areKeysShared: true,
    ...{ brakes, clock, names, queue, records, settings },
    ...own,
  };
  const asked: AskedCluster = {
    name: "nova",
    api: cluster,
    lists: cluster,
    serverSeconds: () => cluster.serverSeconds(),
  };
  const signal = new AbortController().signal;
  const explain = createExplain(options);
  const plan = createPlanSource(options);
  return {
    asked,
    explain: (name: string, kind = "Deployment", namespace = "ns") =>
      explain({ cluster: cluster.cluster, workload: { kind, namespace, name } }, asked, signal),
    plan: (
      name: string,
      keys: "all" | readonly string[] = "all",
      kind: "ConfigMap" | "Secret" = "ConfigMap",
    ) => plan({ source: { kind, namespace: "ns", name }, keys }, asked, signal),
  };
}
