import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { ageText, answerFlag, counted, printAnswer, shownOf, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { warnOfEmptyAnswer } from "./empty-answer.ts";
import { clusterFlag, limitFlag, onlyNamespace, sinceFlag, warnOfCut } from "./question-flags.ts";

export const changesCommand = defineCommand({
  name: "changes",
  purpose: "List the newest changes of sources, with what came of each on all clusters",
  details: `One line is one content of one source: the same content on 37 clusters is one change. DONE is yes when no workload is held, still
rolling, failed or stalled. One that failed or stalled is superseded as soon as a later roll of it is healthy.`,
  examples: [
    "fleet-reloader changes",
    "fleet-reloader changes --since 2d --namespace shop --name db",
    "fleet-reloader changes --change f1-3o0VgN1yVbWm5zq0Q4y4mA -o json",
  ],
  flags: {
    ...askedFleetFields,
    since: sinceFlag,
    cluster: clusterFlag,
    namespace: onlyNamespace,
    object: textFlag("name", "NAME", "Only the workload or source of this name."),
    change: textFlag("change", "ID", "Only this change: its id in all clusters, or in one."),
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const { since, cluster, namespace, object: name, change, limit, output } = config;
      const filter = { since, cluster, namespace, name, change };
      const { changes, count, isCut } = await fleet.changes(filter, limit);
      if (isCut) warnOfCut(io);
      if (count === 0) await warnOfEmptyAnswer({ cluster, namespace, name }, fleet, io);
      const text = () =>
        `${changesTable(changes, fleet.now())}\n${counted(count, "change")}${shownOf(count, changes.length)}`;
      printAnswer({ text, json: { count, changes, isCut } }, output, io);
      return 0;
    }),
});

type ChangeLine = ApiAnswer<"changes">["changes"][number];

function changesTable(changes: readonly ChangeLine[], nowMs: number): string {
  return textTable(
    ["AGE", "SOURCE", "BY", "CLUSTERS", "DONE", "WORKLOADS", "CHANGE"],
    changes.map(({ id, time, source, actors, clusterCount, workloads, isDone }) => [
      ageText(nowMs - Date.parse(time)),
      sourceKey(source),
      actors.join(",") || "-",
      String(clusterCount),
      isDone ? "yes" : "no",
      progressText(workloads),
      id,
    ]),
  );
}

function progressText(workloads: ChangeLine["workloads"]): string {
  const parts = Object.entries(workloads).flatMap(([progress, count]) =>
    count === 0 ? [] : [`${count} ${progress}`],
  );
  return parts.join(", ") || "none";
}
