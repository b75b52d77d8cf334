import { type ClusterHealth, clusterHealth } from "@fleet-reloader/engine/overview/cluster-health";
import { chosenClusters } from "@fleet-reloader/engine/overview/registered-clusters";
import { answerFlag, printAnswer, textTable } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { clusterFlag } from "./question-flags.ts";

export const clustersCommand = defineCommand({
  name: "clusters",
  purpose: "List the clusters, sick ones first, with what is wrong",
  details: "The state is that of the process that listed the clusters last, at most some seconds ago.",
  examples: ["fleet-reloader clusters", "fleet-reloader clusters --cluster nova -o json"],
  flags: { ...fleetRedisFields, cluster: clusterFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async ({ overview }) => {
      const clusters = await chosenClusters(overview, config.cluster);
      const health = clusterHealth(clusters, await overview.holds());
      printAnswer({ text: () => clusterTable(health), json: { clusters: health } }, config.output, io);
      return 0;
    }),
});

function clusterTable(health: readonly ClusterHealth[]): string {
  return textTable(
    ["CLUSTER", "STATE", "WORKLOADS", "ROLLING", "HELD", "WATCHER", "PROBLEM"],
    health.map(({ name, status, workloads, rollouts, held, watcher, problems }) => [
      name,
      status?.state ?? "-",
      String(workloads),
      String(rollouts),
      String(held),
      watcher ?? "-",
      problems.join("; "),
    ]),
  );
}
