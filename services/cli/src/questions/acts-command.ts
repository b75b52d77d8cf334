import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { actResultText } from "@fleet-reloader/engine/act/operator-acts";
import { ageText, answerFlag, counted, printAnswer, shownOf, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import { warnOfEmptyAnswer } from "./empty-answer.ts";
import { clusterFlag, limitFlag, warnOfCut } from "./question-flags.ts";

export const actsCommand = defineCommand({
  name: "acts",
  purpose: "List what operators did: who, when, why, on how many, and what came of it",
  details: `One line is one act, the newest first. An act that was stopped says how many workloads it came to. A freeze that is gone or over is
listed as unfreeze; nothing records who removed it from the document.`,
  examples: [
    "fleet-reloader acts",
    "fleet-reloader acts --since 30d --person ann@example.org --action retry",
    "fleet-reloader acts --cluster nova --text 'incident 4711' -o json",
  ],
  flags: {
    ...askedFleetFields,
    since: textFlag(
      "since",
      "TIME",
      "Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 7d.",
    ),
    person: textFlag("person", "NAME", "Only what this person did."),
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
    await askFleet(config, io, async (fleet) => {
      const { action, cluster, limit, output, person, since, text: wanted } = config;
      const filter = { since, by: person, action, cluster, text: wanted };
      const { acts, count, isCut } = await fleet.operators(filter, limit);
      if (isCut) warnOfCut(io);
      if (count === 0) await warnOfEmptyAnswer({ cluster }, fleet, io);
      const more = shownOf(count, acts.length);
      const text = () => `${actsTable(acts, fleet.now())}\n${counted(count, "act")}${more}`;
      printAnswer({ text, json: { count, acts, isCut } }, output, io);
      return 0;
    }),
});

function actsTable(acts: ApiAnswer<"operators">["acts"], nowMs: number): string {
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
