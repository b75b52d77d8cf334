import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { remarksOnCluster } from "@fleet-reloader/domain/cluster/cluster-status";
import { ageText, answerFlag, printAnswer, textTable } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { clusterFlag } from "./question-flags.ts";

export const clustersCommand = defineCommand({
  name: "clusters",
  purpose: "List the clusters, sick ones first, with what is wrong",
  details:
    "The state is that of the process that listed the cluster last, at most some seconds ago, or that of the watcher where it is worse. A process that does not know a cluster, because it has just started or has no route to it, leaves what others listed within a minute. LAG and RIGHTS are the watcher's, at most 15 seconds ago: streams that are behind and for how long, and rights that it lacks.",
  examples: ["fleet-reloader clusters", "fleet-reloader clusters --cluster nova -o json"],
  flags: { ...askedFleetFields, cluster: clusterFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const clusters = await fleet.clusters(config.cluster);
      printAnswer({ text: () => clusterTable(clusters, fleet.now()), json: { clusters } }, config.output, io);
      return 0;
    }),
});

type ClusterLine = ApiAnswer<"clusters">["clusters"][number];

function clusterTable(health: readonly ClusterLine[], nowMs: number): string {
  return textTable(
    ["CLUSTER", "STATE", "WORKLOADS", "ROLLING", "HELD", "LAG", "RIGHTS", "WATCHER", "PROBLEM"],
    health.map((cluster) => [
      cluster.name,
      cluster.status?.state ?? "-",
      String(cluster.workloads),
      String(cluster.rollouts),
      String(cluster.held),
      lagText(cluster.report, nowMs),
      rightsText(cluster.report),
      cluster.watcher ?? "-",
      remarksOnCluster(cluster).join("; "),
    ]),
  );
}

function lagText(report: ClusterLine["report"], nowMs: number): string {
  if (report === undefined) return "-";
  const { behindCount, behindSinceMs, streams } = report;
  return behindSinceMs === undefined
    ? "none"
    : `${behindCount} of ${streams}, ${ageText(nowMs - behindSinceMs)}`;
}

function rightsText(report: ClusterLine["report"]): string {
  if (report === undefined) return "-";
  return report.missingRightCount === 0 ? "all" : `${report.missingRightCount} missing`;
}
