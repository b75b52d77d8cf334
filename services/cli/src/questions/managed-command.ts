import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { ManagedWorkload } from "@fleet-reloader/engine/overview/fleet-overview";
import { chosenClusters } from "@fleet-reloader/engine/overview/registered-clusters";
import { answerFlag, counted, printAnswer, textTable } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { clusterFlag, limitFlag, namespaceFlag } from "./question-flags.ts";

export const managedCommand = defineCommand({
  name: "managed",
  purpose: "List the workloads that are reloaded, with the sources that each uses",
  examples: [
    "fleet-reloader managed --namespace shop",
    "fleet-reloader managed --cluster nova --limit 100000 -o json",
  ],
  flags: {
    ...fleetRedisFields,
    cluster: clusterFlag,
    namespace: namespaceFlag,
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async ({ overview }) => {
      const { limit, namespace, output } = config;
      const clusters = await chosenClusters(overview, config.cluster);
      const all = await Promise.all(
        clusters.map(async ({ id, name: cluster }) => {
          const managed = id === undefined ? [] : await overview.managed(id);
          return managed.map(({ ref, sources, patterns }) => ({ cluster, ref, sources, patterns }));
        }),
      );
      const wanted = all.flat().filter(({ ref }) => namespace === "" || ref.namespace === namespace);
      const workloads = wanted.slice(0, limit);
      const more = wanted.length > workloads.length ? `, ${workloads.length} are shown` : "";
      const sum = `${counted(wanted.length, "workload")} of ${counted(clusters.length, "cluster")}${more}`;
      const text = () => `${managedTable(workloads)}\n${sum}`;
      printAnswer({ text, json: { count: wanted.length, workloads } }, output, io);
      return 0;
    }),
});

interface ClusterWorkload extends Pick<ManagedWorkload, "ref" | "sources" | "patterns"> {
  readonly cluster: string;
}

function managedTable(workloads: readonly ClusterWorkload[]): string {
  const rows = workloads.map(({ cluster, ref, sources, patterns }) => [
    cluster,
    workloadKey(ref),
    [...sources, ...patterns.map(([kind, pattern]) => `${kind}/${ref.namespace}/${pattern} (pattern)`)].join(
      ", ",
    ),
  ]);
  return textTable(["CLUSTER", "WORKLOAD", "SOURCES"], rows);
}
