import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { answerFlag, counted, printAnswer, shownOf, textTable } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { warnOfEmptyAnswer } from "./empty-answer.ts";
import { clusterFlag, limitFlag, onlyNamespace } from "./question-flags.ts";

export const managedCommand = defineCommand({
  name: "managed",
  purpose: "List the workloads that are reloaded, with the sources that each uses",
  examples: [
    "fleet-reloader managed --namespace shop",
    "fleet-reloader managed --cluster nova --limit 100000 -o json",
  ],
  flags: {
    ...askedFleetFields,
    cluster: clusterFlag,
    namespace: onlyNamespace,
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const { cluster, limit, namespace, output } = config;
      const { clusterCount, count, workloads } = await fleet.managed({ cluster, namespace }, limit);
      if (count === 0) await warnOfEmptyAnswer({ cluster, namespace }, fleet, io);
      const more = shownOf(count, workloads.length);
      const sum = `${counted(count, "workload")} of ${counted(clusterCount, "cluster")}${more}`;
      const text = () => `${managedTable(workloads)}\n${sum}`;
      printAnswer({ text, json: { count, workloads } }, output, io);
      return 0;
    }),
});

function managedTable(workloads: ApiAnswer<"managed">["workloads"]): string {
  const rows = workloads.map(({ cluster, ref, sources, patterns }) => [
    cluster,
    workloadKey(ref),
    [...sources, ...patterns.map(([kind, pattern]) => `${kind}/${ref.namespace}/${pattern} (pattern)`)].join(
      ", ",
    ),
  ]);
  return textTable(["CLUSTER", "WORKLOAD", "SOURCES"], rows);
}
