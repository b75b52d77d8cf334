import type { HeldRequest } from "@fleet-reloader/engine/admission/held-requests";
import { countByReason } from "@fleet-reloader/engine/overview/by-reason";
import { chosenHolds, explainHolds } from "@fleet-reloader/engine/overview/chosen-holds";
import type { ExplainedHold } from "@fleet-reloader/engine/overview/explained-hold";
import { answerFlag, counted, printAnswer, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { clusterFlag, limitFlag, namespaceFlag } from "./question-flags.ts";

export const heldCommand = defineCommand({
  name: "held",
  purpose: "List what is on hold: by whom or what, and until when",
  details: "docs/reference/reasons.md has the meaning of each reason.",
  examples: ["fleet-reloader held", "fleet-reloader held --cluster nova --reason Frozen -o json"],
  flags: {
    ...fleetRedisFields,
    cluster: clusterFlag,
    namespace: namespaceFlag,
    reason: textFlag("reason", "REASON", "Only holds of this reason, for example Frozen."),
    limit: limitFlag,
    output: answerFlag,
  },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async ({ overview, clock }) => {
      const { cluster, limit, namespace, output, reason } = config;
      const { holds: wanted, clusters } = await chosenHolds(overview, { cluster, namespace, reason });
      const shown = { holds: wanted.slice(0, limit), clusters };
      const holds = await explainHolds(shown, overview, clock.now());
      printAnswer(
        {
          text: () => holdsText(holds, wanted),
          json: { count: wanted.length, reasons: countByReason(wanted), holds },
        },
        output,
        io,
      );
      return 0;
    }),
});

function holdsText(holds: readonly ExplainedHold[], all: readonly HeldRequest[]): string {
  const counts = Object.entries(countByReason(all)).map(([reason, count]) => `${count} ${reason}`);
  const rows = holds.map(({ cluster, workload, reason, until, why }) => [
    cluster,
    workload,
    reason,
    until ?? "-",
    why,
  ]);
  const more = all.length > holds.length ? `, ${holds.length} are shown` : "";
  const sum = `${counted(all.length, "request")} on hold${counts.length === 0 ? "" : `: ${counts.join(", ")}`}${more}`;
  return rows.length === 0
    ? sum
    : `${textTable(["CLUSTER", "WORKLOAD", "REASON", "UNTIL", "WHY"], rows)}\n${sum}`;
}
