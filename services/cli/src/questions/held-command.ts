import { Fault } from "@fleet-reloader/domain/fault";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { logReasons } from "@fleet-reloader/domain/log-reasons";
import { nearestName } from "@fleet-reloader/domain/nearest-name";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { HeldRequest } from "@fleet-reloader/engine/admission/held-requests";
import { type ExplainedHold, explainHold } from "@fleet-reloader/engine/overview/explained-hold";
import type { ClusterOverview, FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { answerFlag, counted, printAnswer, textTable } from "../frame/answer.ts";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { limitFlag } from "./changes-command.ts";
import { chosenClusters, clusterFlag, clusterNamer, namespaceFlag, onlyCluster } from "./chosen-clusters.ts";
import { usedSources } from "./used-sources.ts";

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
      const { limit, namespace, output } = config;
      const reason = knownReason(config.reason);
      const clusters = await chosenClusters(overview, "");
      const chosen = config.cluster === "" ? clusters : onlyCluster(clusters, config.cluster);
      const ids = new Set(chosen.map(({ id }) => id));
      const wanted = (await overview.holds()).filter(
        ({ request, reason: its }) =>
          (config.cluster === "" || ids.has(request.cluster)) &&
          (namespace === "" || namespace === request.workload.namespace) &&
          (reason === "" || reason === its),
      );
      const holds = await explainAll(wanted.slice(0, limit), { overview, clusters, nowMs: clock.now() });
      printAnswer(
        { text: () => holdsText(holds, wanted), json: { count: wanted.length, holds } },
        output,
        io,
      );
      return 0;
    }),
});

function knownReason(text: string): string {
  const known = [...holdReasons, ...logReasons].map(({ reason }) => reason);
  if (text === "" || known.some((one) => one === text)) return text;
  const near = nearestName(text, known);
  const mend = near === undefined ? "docs/reference/reasons.md lists the reasons" : `did you mean ${near}?`;
  throw new Fault("config.invalid", `--reason ${text}: is not known; ${mend}`);
}

interface HoldQuestion {
  readonly overview: FleetOverview;
  readonly clusters: readonly ClusterOverview[];
  readonly nowMs: number;
}

async function explainAll(
  holds: readonly HeldRequest[],
  { overview, clusters, nowMs }: HoldQuestion,
): Promise<readonly ExplainedHold[]> {
  const freezes = await overview.freezes();
  const nameOf = clusterNamer(clusters);
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  const frozen = new Set(holds.flatMap((hold) => (hold.reason === "Frozen" ? [hold.request.cluster] : [])));
  const sources = await sourcesByWorkload(
    overview,
    freezes.some(({ scope }) => scope.source) ? frozen : new Set(),
  );
  return await Promise.all(
    holds.map(async (hold) => {
      const { cluster, workload } = hold.request;
      return explainHold(hold, {
        cluster: byId.get(cluster),
        freezes,
        sources: sources.get(`${cluster}|${workloadKey(workload)}`) ?? [],
        unfinished: hold.reason === "BudgetUnfinished" ? await overview.unfinished(hold.request) : [],
        nameOf,
        nowMs,
      });
    }),
  );
}

/** Only where a freeze is about a source. */
async function sourcesByWorkload(overview: FleetOverview, clusters: ReadonlySet<ClusterId>) {
  const pairs = await Promise.all(
    [...clusters].map(async (cluster) =>
      (await overview.managed(cluster)).map(
        (one) => [`${cluster}|${workloadKey(one.ref)}`, usedSources(one)] as const,
      ),
    ),
  );
  return new Map(pairs.flat());
}

function holdsText(holds: readonly ExplainedHold[], all: readonly HeldRequest[]): string {
  const counts = [...Map.groupBy(all, ({ reason }) => reason)].map(
    ([reason, its]) => `${its.length} ${reason}`,
  );
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
