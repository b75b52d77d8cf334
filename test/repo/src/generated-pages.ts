import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dashboardConfig } from "@fleet-reloader/dashboard-service/config";
import {
  noReasons,
  unknownReasons,
  unservedReasons,
  yesReasons,
} from "@fleet-reloader/domain/decision/reasons";
import { eventReasons } from "@fleet-reloader/domain/event-reasons";
import { dispositions, faultCatalogue } from "@fleet-reloader/domain/fault";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { logReasons } from "@fleet-reloader/domain/log-reasons";
import { rollReasons, stayReasons } from "@fleet-reloader/domain/plan/reasons";
import { rolloutReasons } from "@fleet-reloader/domain/rollout-state/reasons";
import { unreadVariables } from "@fleet-reloader/runtime/config/fields/without-effect-fields";
import { ownMetrics } from "@fleet-reloader/runtime/metrics/own-metrics";
import { peerMetricDescriptions } from "@fleet-reloader/runtime/metrics/peer-metrics";
import { standaloneConfig } from "@fleet-reloader/standalone/config";
import { watcherConfig } from "@fleet-reloader/watcher/config";
import { workerConfig } from "@fleet-reloader/worker/config";
import { annotationsPage } from "./annotations-page.ts";
import { commandPage } from "./command-page.ts";
import { referenceTables } from "./config-tables.ts";
import { cruiseFolders } from "./cruise.ts";
import { openApiDocument } from "./openapi.ts";
import { performancePage } from "./performance-page.ts";
import { redisUsersPage } from "./redis-users-page.ts";
import { root } from "./root.ts";

/** Every page that is made from the code: path and text. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/annotations.md", annotationsPage(made)],
    ["docs/command-line.md", commandPage(made)],
    ["docs/performance.md", performancePage(made)],
    ["docs/reference/config.md", configPage()],
    ["docs/reference/faults.md", faultPage()],
    ["docs/reference/reasons.md", reasonPage()],
    ["docs/reference/metrics.md", metricPage()],
    ["docs/reference/redis-users.md", redisUsersPage(made)],
    ["docs/reference/openapi.json", `${JSON.stringify(openApiDocument(), undefined, 2)}\n`],
    ["ARCHITECTURE.md", await architecturePage()],
  ]);
}

const made = "Generated from the code by `./dev generate`.";

function configPage(): string {
  const flags = (shape: object) => Object.keys(shape).length;
  return `# Configuration

${made} A flag overrides its variable, and a variable overrides the default. All problems are
reported at once. The log warns of a variable whose name is misspelt by one or two letters.

Separate the items of a list by commas, or repeat the flag. Put an item that contains a comma in double quotes. Write a switch alone, or as
\`--flag=true\` or \`--flag=false\`. The column Stakater Reloader shows the name that this product uses for the same setting; see
[compatibility](../compatibility.md).

${referenceTables(standaloneConfig)}

\`./dev run watcher\` accepts ${flags(watcherConfig)} of these flags: connections, clusters, rules, freezes, history, \`--work-horizon\`, \`--audit-interval\`, and
\`--webhook-url\` with the \`--mark-key-file\` that it needs. \`./dev run worker\` accepts ${flags(workerConfig)}: the same without \`--work-horizon\` and \`--audit-interval\`,
and also concurrency, brakes and notices. \`./dev run dashboard\` accepts ${flags(dashboardConfig)}: those of both, the brakes, and \`--dashboard-address\`. All three need \`--redis-url\`.

## Variables that are not read

| Variable | Why |
|---|---|
${unreadVariables.map(({ env, why }) => `| \`${env}\` | It ${why}. |`).join("\n")}
`;
}

function faultPage(): string {
  const rows = Object.entries(faultCatalogue).map(([code, entry]) => {
    const { queue } = dispositions[entry.class];
    return `| \`${code}\` | ${entry.class} | ${entry.meaning} | ${entry.mend} | ${queue}${queue === "retry" ? ", counted" : ""} |`;
  });
  return `# Faults

${made} A log line shows the code as its \`reason\`.

| Code | Class | Meaning | Mend | What the queue does |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function reasonPage(): string {
  const table = (reasons: readonly { readonly reason: string; readonly meaning: string }[]) =>
    [
      "| Reason | Meaning |",
      "|---|---|",
      ...reasons.map(({ reason, meaning }) => `| \`${reason}\` | ${meaning} |`),
    ].join("\n");
  return `# Reasons

${made}

## Why a source counts for a workload

${table(yesReasons)}

## Why a source does not count

${table(noReasons)}

## Why \`explain\` cannot say whether a workload rolls

${table([...unservedReasons, ...unknownReasons])}

## Why a workload rolls now

${table(rollReasons)}

## Why a workload whose source was written stays as it is

${table(stayReasons)}

## Why a roll that is due is held

A held roll is checked again by itself. \`fleet_reloader_holds_total\` counts by these reasons.

${table(holdReasons)}

## Events on a workload

${table(eventReasons)}

## Log lines and the queue

${table(logReasons)}

## How a rollout ended

Each rolled workload is followed until its rollout is healthy, failed or stalled (it makes no progress).

| Reason | Result | Meaning |
|---|---|---|
${rolloutReasons.map(({ reason, ends, meaning }) => `| \`${reason}\` | ${ends} | ${meaning} |`).join("\n")}
`;
}

function metricPage(): string {
  const own = Object.entries(ownMetrics).map(
    ([name, { labels, help }]) => `| \`${name}\` | ${labels.join(", ")} | ${help} |`,
  );
  const peer = Object.entries(peerMetricDescriptions).map(([name, help]) => `| \`${name}\` | ${help} |`);
  return `# Metrics

${made} \`process_*\` and \`nodejs_*\` are exported too. Labels are closed sets, with one opt-in
exception (\`METRICS_COUNT_BY_NAMESPACE\`). No metric names a workload.

| Metric | Labels | Meaning |
|---|---|---|
${own.join("\n")}

A [dashboard](../../infra/grafana/fleet-reloader.json) and [alerts](../../infra/alerts/fleet-reloader.yaml) are made from the same list. What to do
about an alert is in the [runbooks](../operate/runbooks.md).

## Metrics of Stakater Reloader

| Metric | Meaning |
|---|---|
${peer.join("\n")}

Stakater Reloader's \`go_*\` metrics are missing, since there is no Go runtime. These label values do not occur: \`reason="strategy_not_updated"\` and
\`type="invalid_handler_type"\`, which have no counterpart, and \`result="dropped"\`, since nothing is dropped.
`;
}

/** Only what lies between the marks is made; the rest of the page is written by hand. */
async function architecturePage(): Promise<string> {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  return page.replace(/(<!-- diagram:[^>]*-->\n)[\s\S]*(<!-- \/diagram -->)/, `$1${await diagram()}$2`);
}

async function diagram(): Promise<string> {
  const { dependencies } = await cruiseFolders(["packages", "services"]);
  const room = (path: string) =>
    path.startsWith("services/dashboard/")
      ? "dashboard-process"
      : /^(?:packages|services)\/([a-z]+)\//.exec(path)?.[1];
  const arrows = new Set<string>();
  for (const { from, to } of dependencies) {
    const [source, target] = [room(from), room(to)];
    if (/(\.test\.ts|\/fixture\/)/.test(from) || source === "testkit") continue;
    if (source !== undefined && target !== undefined && source !== target)
      arrows.add(`  ${source} --> ${target}`);
  }
  return `\`\`\`mermaid\nflowchart LR\n${[...arrows].sort().join("\n")}\n\`\`\`\n`;
}
