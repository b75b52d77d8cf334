import { answerFlag, counted, printAnswer, shownOf, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { askedFleetFields, askFleet } from "./asked-fleet.ts";
import type { FleetQuestions } from "./fleet-questions.ts";
import { clusterFlag, limitFlag, onlyNamespace } from "./question-flags.ts";

export const heldCommand = defineCommand({
  name: "held",
  purpose: "List what is on hold: by whom or what, and until when",
  details: "docs/reference/reasons.md has the meaning of each reason.",
  examples: ["fleet-reloader held", "fleet-reloader held --cluster nova --reason Frozen -o json"],
  flags: {
    ...askedFleetFields,
    cluster: clusterFlag,
    namespace: onlyNamespace,
    reason: textFlag("reason", "REASON", "Only holds of this reason, for example Frozen."),
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await askFleet(config, io, async (fleet) => {
      const { cluster, limit, namespace, output, reason } = config;
      const { count, holds, reasons } = await fleet.held({ cluster, namespace, reason }, limit);
      const text = () => holdsText({ count, holds, reasons });
      printAnswer({ text, json: { count, reasons, holds } }, output, io);
      return 0;
    }),
});

function holdsText({ count, holds, reasons }: Awaited<ReturnType<FleetQuestions["held"]>>): string {
  const counts = Object.entries(reasons).map(([reason, its]) => `${its} ${reason}`);
  const rows = holds.map(({ cluster, workload, reason, until, why }) => [
    cluster,
    workload,
    reason,
    until ?? "-",
    why,
  ]);
  const more = shownOf(count, holds.length);
  const sum = `${counted(count, "request")} on hold${counts.length === 0 ? "" : `: ${counts.join(", ")}`}${more}`;
  return rows.length === 0
    ? sum
    : `${textTable(["CLUSTER", "WORKLOAD", "REASON", "UNTIL", "WHY"], rows)}\n${sum}`;
}
