import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { sumOfCounts } from "@fleet-reloader/engine/overview/by-reason";
import { recentSince } from "@fleet-reloader/redis/overview/recent-records";
import { ageText, answerFlag, counted, printAnswer } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { sinceFlag, warnOfCut } from "./question-flags.ts";

export const queueCommand = defineCommand({
  name: "queue",
  purpose:
    "Show the queue: how long the oldest request waits, what waits, and what is held and failed, by reason",
  examples: ["fleet-reloader queue", "fleet-reloader queue --since 1d -o json"],
  flags: { ...askedFleetFields, since: sinceFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const { failed, held, isCut, queue } = await fleet.queue(config.since);
      if (isCut) warnOfCut(io);
      const text = () => queueText({ queue, held, failed }, config.since || recentSince);
      printAnswer({ text, json: { queue, held, failed } }, config.output, io);
      return 0;
    }),
});

type ShownQueue = Pick<ApiAnswer<"queue">, "failed" | "held" | "queue">;

/** Age comes first: it says whether anything is late. */
function queueText({ failed, held, queue }: ShownQueue, since: string): string {
  return [
    ...countLines(queue),
    `held      ${sumOfCounts(held)}`,
    ...linesOf(held),
    `failed    ${counted(sumOfCounts(failed), "workload")} since ${since}`,
    ...linesOf(failed),
  ].join("\n");
}

/** A caller that sees a part of the fleet does not learn what waits in all of it. */
function countLines(queue: ShownQueue["queue"]): readonly string[] {
  if (queue === undefined) return ["oldest    not shown: your grants show a part of the fleet"];
  return [
    `oldest    ${queue.oldestMs === undefined ? "nothing waits" : ageText(queue.oldestMs)}`,
    `waiting   ${queue.waiting + queue.prioritized}`,
    `running   ${queue.active}`,
    `delayed   ${queue.delayed}`,
  ];
}

function linesOf(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([reason, count]) => `  ${count} ${reason}`);
}
