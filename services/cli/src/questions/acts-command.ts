import { actResultText, type OperatorAct, operatorActs } from "@fleet-reloader/engine/act/operator-acts";
import { recentActs } from "@fleet-reloader/redis/overview/recent-records";
import { ageText, answerFlag, counted, printAnswer, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { clusterFlag, limitFlag } from "./question-flags.ts";

export const actsCommand = defineCommand({
  name: "acts",
  purpose: "List what operators did: who, when, why, on how many, and what came of it",
  details: `One line is one act, the newest first. An act that was stopped says how many workloads it came to. A freeze that is gone is listed
as unfreeze; nothing records who removed it from the document.`,
  examples: [
    "fleet-reloader acts",
    "fleet-reloader acts --since 30d --by ann@example.org --action retry",
    "fleet-reloader acts --cluster nova --text 'incident 4711' -o json",
  ],
  flags: {
    ...fleetRedisFields,
    since: textFlag(
      "since",
      "TIME",
      "Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 7d.",
    ),
    by: textFlag("by", "NAME", "Only what this person did."),
    action: textFlag("action", "ACT", "Only this act, for example retry."),
    cluster: clusterFlag,
    text: textFlag(
      "text",
      "TEXT",
      "Only acts with this text in the target, the reason, the person or the act.",
    ),
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async (redis) => {
      const { action, by, cluster, limit, output, since, text: wanted } = config;
      const { records, isCut } = await recentActs(redis, { since, cluster });
      const all = operatorActs(records, { action, by, text: wanted });
      if (isCut) io.stderr.write("not all acts were read: there are newer ones; give a later --since\n");
      const acts = all.slice(0, limit);
      const text = () =>
        `${actsTable(acts, redis.clock.now())}\n${counted(all.length, "act")}${all.length > limit ? `, ${limit} are shown` : ""}`;
      printAnswer({ text, json: { count: all.length, acts, isCut } }, output, io);
      return 0;
    }),
});

function actsTable(acts: readonly OperatorAct[], nowMs: number): string {
  return textTable(
    ["AGE", "BY", "ACT", "TARGET", "RESULT", "REASON"],
    acts.map((act) => [
      ageText(nowMs - Date.parse(act.time)),
      act.by || "-",
      act.action,
      act.target,
      actResultText(act),
      act.reason || "-",
    ]),
  );
}
