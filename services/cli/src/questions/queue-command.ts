import { sumOfCounts } from "@fleet-reloader/engine/overview/by-reason";
import { type QueueDigest, queueDigest } from "@fleet-reloader/engine/overview/queue-digest";
import { recentRecords, recentSince } from "@fleet-reloader/redis/overview/recent-records";
import { ageText, answerFlag, counted, printAnswer } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { sinceFlag } from "./question-flags.ts";

export const queueCommand = defineCommand({
  name: "queue",
  purpose:
    "Show the queue: how long the oldest request waits, what waits, and what is held and failed, by reason",
  examples: ["fleet-reloader queue", "fleet-reloader queue --since 1d -o json"],
  flags: { ...fleetRedisFields, since: sinceFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async (redis) => {
      const noFilter = { cluster: "", namespace: "", name: "", change: "" };
      const recent = await recentRecords(redis, { since: config.since, ...noFilter });
      const digest = await queueDigest(redis.overview, recent.records);
      if (recent.isCut)
        io.stderr.write("not all records were read: there are newer ones; give a later --since\n");
      printAnswer(
        { text: () => queueText(digest, config.since || recentSince), json: digest },
        config.output,
        io,
      );
      return 0;
    }),
});

/** Age comes first: it says whether anything is late. */
function queueText({ failed, held, queue }: QueueDigest, since: string): string {
  return [
    `oldest    ${queue.oldestMs === undefined ? "nothing waits" : ageText(queue.oldestMs)}`,
    `waiting   ${queue.waiting + queue.prioritized}`,
    `running   ${queue.active}`,
    `delayed   ${queue.delayed}`,
    `held      ${sumOfCounts(held)}`,
    ...linesOf(held),
    `failed    ${counted(sumOfCounts(failed), "workload")} since ${since}`,
    ...linesOf(failed),
  ].join("\n");
}

function linesOf(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([reason, count]) => `  ${count} ${reason}`);
}
