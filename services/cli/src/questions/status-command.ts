import { describeScope } from "@fleet-reloader/domain/hold/freeze";
import { countByReason } from "@fleet-reloader/engine/overview/by-reason";
import type { ChangeSummary } from "@fleet-reloader/engine/overview/change-summary";
import { type FleetStatus, fleetStatus, statusDigest } from "@fleet-reloader/engine/overview/fleet-status";
import { recentRecords, recentSince } from "@fleet-reloader/redis/overview/recent-records";
import { ageText, answerFlag, counted, printAnswer } from "../frame/answer.ts";
import { defineCommand } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { sinceFlag } from "./question-flags.ts";

/** Of a long list the first ones are named. */
const namedMax = 5;

export const statusCommand = defineCommand({
  name: "status",
  purpose: "Show the state of the fleet on one screen: clusters, queue, holds, failures",
  examples: ["fleet-reloader status", "fleet-reloader status --since 1d -o json"],
  flags: { ...fleetRedisFields, since: sinceFlag, output: answerFlag },
  run: async ({ config }, io) =>
    await withFleetRedis(config, io, async (redis) => {
      const noFilter = { cluster: "", namespace: "", name: "", change: "" };
      const recent = await recentRecords(redis, { since: config.since, ...noFilter });
      const status = await fleetStatus(redis.overview, recent.records);
      if (recent.isCut)
        io.stderr.write("not all records were read: there are newer ones; give a later --since\n");
      printAnswer(
        { text: () => statusText(status, config.since || recentSince), json: statusDigest(status) },
        config.output,
        io,
      );
      return 0;
    }),
});

function statusText({ clusters, queue, holds, freezes, changes }: FleetStatus, since: string): string {
  const sick = clusters.filter(({ problems }) => problems.length > 0);
  const open = changes.filter(({ isDone }) => !isDone);
  const workloads = clusters.reduce((sum, one) => sum + one.workloads, 0);
  const oldest =
    queue.oldestMs === undefined
      ? "nothing waits"
      : `the oldest request waits for ${ageText(queue.oldestMs)}`;
  return [
    `clusters  ${clusters.length}, ${sick.length} sick; ${counted(workloads, "workload")}`,
    ...firstLines(sick, ({ name, problems }) => `${name}: ${problems.join("; ")}`, "fleet-reloader clusters"),
    `queue     ${oldest}; ${queue.waiting + queue.prioritized} waiting, ${queue.active} running`,
    `held      ${holds.length}`,
    ...Object.entries(countByReason(holds)).map(([reason, count]) => `  ${count} ${reason}`),
    `frozen    ${counted(freezes.length, "freeze")}`,
    ...firstLines(
      freezes,
      ({ scope, reason, by }) => `${describeScope(scope)}: ${reason} (by ${by})`,
      "fleet-reloader freezes",
    ),
    `changes   ${changes.length} since ${since}, ${open.length} not done: ${problemCounts(open)}`,
  ].join("\n");
}

function firstLines<T>(all: readonly T[], lineOf: (one: T) => string, rest: string): readonly string[] {
  const lines = all.slice(0, namedMax).map((one) => `  ${lineOf(one)}`);
  return all.length > namedMax ? [...lines, `  and ${all.length - namedMax} more: ${rest}`] : lines;
}

function problemCounts(open: readonly ChangeSummary[]): string {
  const sum = (of: "held" | "rolling" | "failed" | "stalled") =>
    open.reduce((total, { workloads }) => total + workloads[of], 0);
  return `${sum("rolling")} rolling, ${sum("held")} held, ${sum("failed")} failed, ${sum("stalled")} stalled`;
}
