import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { describeScope, unreadableFreezesText } from "@fleet-reloader/domain/hold/freeze";
import { sumOfCounts } from "@fleet-reloader/engine/overview/by-reason";
import { recentSince } from "@fleet-reloader/redis/overview/recent-records";
import { ageText, answerFlag, counted, printAnswer } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { sinceFlag, warnOfCut } from "./question-flags.ts";

/** Of a long list the first ones are named. */
const linesNamedMax = 5;

export const statusCommand = defineCommand({
  name: "status",
  purpose: "Show the state of the fleet on one screen: clusters, queue, holds, failures",
  examples: [
    "fleet-reloader status",
    "fleet-reloader status --since 1d -o json",
    "fleet-reloader status --server https://reloader.example.org",
  ],
  flags: { ...askedFleetFields, since: sinceFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const { isCut, ...status } = await fleet.status(config.since);
      if (isCut) warnOfCut(io);
      const text = () => statusText(status, config.since || recentSince);
      printAnswer({ text, json: status }, config.output, io);
      return 0;
    }),
});

type ShownStatus = Omit<ApiAnswer<"status">, "isCut">;

function statusText(status: ShownStatus, since: string): string {
  const { clusters, queue, held, freezeCount, freezes, unreadableFreezes: why, changes } = status;
  const { failed, held: waiting, rolling, stalled } = changes.openWorkloads;
  return [
    `clusters  ${clusters.count}, ${clusters.sickCount} sick; ${counted(clusters.workloads, "workload")}`,
    ...firstLines(
      clusters.sick.map(({ name, problems }) => `${name}: ${problems.join("; ")}`),
      clusters.sickCount,
      "fleet-reloader clusters",
    ),
    `queue     ${queueSentence(queue)}`,
    `held      ${sumOfCounts(held)}`,
    ...Object.entries(held).map(([reason, count]) => `  ${count} ${reason}`),
    `frozen    ${counted(freezeCount, "freeze")}`,
    ...(why === undefined ? [] : [`  ${unreadableFreezesText(why)}`]),
    ...firstLines(
      freezes.map(
        ({ by, missing, reason, scope }) =>
          `${describeScope(scope)}: ${reason} (by ${by})${idleText(missing)}`,
      ),
      freezeCount,
      "fleet-reloader freezes",
    ),
    `changes   ${changes.count} since ${since}, ${changes.openCount} not done: ${rolling} rolling, ${waiting} held, ${failed} failed, ${stalled} stalled`,
  ].join("\n");
}

/** What follows a freeze that is about no cluster. */
export function idleText(missing: string | undefined): string {
  return missing === undefined ? "" : `; it covers nothing: ${missing}`;
}

/** A caller that sees a part of the fleet does not learn what waits in all of it. */
function queueSentence(queue: ShownStatus["queue"]): string {
  if (queue === undefined) return "not shown: your grants show a part of the fleet";
  const { active, oldestMs, prioritized, waiting } = queue;
  const oldest =
    oldestMs === undefined ? "nothing waits" : `the oldest request waits for ${ageText(oldestMs)}`;
  return `${oldest}; ${waiting + prioritized} waiting, ${active} running`;
}

/** The first ones, and how many more there are. */
function firstLines(lines: readonly string[], count: number, rest: string): readonly string[] {
  const named = lines.slice(0, linesNamedMax).map((line) => `  ${line}`);
  return count > named.length ? [...named, `  and ${count - named.length} more: ${rest}`] : named;
}
