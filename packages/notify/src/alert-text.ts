import { compatKindName } from "@fleet-reloader/domain/compat/kind-name";
import { faultCatalogue } from "@fleet-reloader/domain/fault";
import { rolloutReasons } from "@fleet-reloader/domain/rollout-state/reasons";
import type { WorkloadRef } from "@fleet-reloader/domain/workload";
import type { HoldReport } from "@fleet-reloader/engine/reporter";
import type { Digest, Letter } from "./outbox.ts";
import { isFailure, type Told } from "./told.ts";

export interface AlertWording {
  /** Put in front of every alert, such as which installation it comes from; the peer's ALERT_ADDITIONAL_INFO. */
  readonly additionalInfo: string;
  /** Where there are several clusters, an alert has to say which. */
  readonly isClusterNamed: boolean;
}

/** More sources than a person reads in one line. */
const sourcesNamedMax = 5;

/** The alert as a text with names in `*bold*`. One source that changed gives exactly the peer's sentence. */
export function alertText(letter: Letter<Told>, wording: AlertWording): string {
  const text = letter.type === "single" ? sentence(letter.item, wording) : digestText(letter.digest, wording);
  return wording.additionalInfo === "" ? text : `${wording.additionalInfo} : ${text}`;
}

function sentence(told: Told, { isClusterNamed }: AlertWording): string {
  const { clusterName, workload } = told.report;
  const text = saying(told, workload);
  return isClusterNamed ? `${clusterName} : ${text}` : text;
}

function saying(told: Told, workload: WorkloadRef): string {
  switch (told.type) {
    case "rolled":
      return rolledText(told);
    case "failed":
      return failedText(told, workload);
    case "rollout-failed":
      return rolloutText(told);
    case "held":
      return heldText(told.report);
  }
}

/** The reason, and what it means; what the controllers said stays in the cluster. */
function rolloutText({ report }: Told & { type: "rollout-failed" }): string {
  const meaning = rolloutReasons.find(({ reason }) => reason === report.reason)?.meaning ?? "";
  return `Reloader reloaded ${describe(report.workload)}, and its rollout has failed: ${report.reason}. ${meaning}`;
}

function heldText({ reason, why, workload, untilMs }: HoldReport): string {
  const until = untilMs === undefined ? "" : `, until ${new Date(untilMs).toISOString()}`;
  return `Reloader holds the reload of ${describe(workload)}: ${reason}. ${why}${until}`;
}

function rolledText({ report }: Told & { type: "rolled" }): string {
  const named = report.sources.slice(0, sourcesNamedMax).map(({ name, kind, namespace }) => {
    return `*${name}* of type *${compatKindName(kind)}* in namespace *${namespace}*`;
  });
  const more = report.sources.length - named.length;
  const sources = more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
  return `Reloader detected changes in ${sources}. Hence reloaded ${describe(report.workload)}`;
}

/** What the API server said stays in the cluster's log and Events; outside, the catalogue's words have to do. */
function failedText({ report }: Told & { type: "failed" }, workload: WorkloadRef): string {
  const { meaning, mend } = faultCatalogue[report.code];
  return `Reloader could not reload ${describe(workload)}: ${report.code}. ${meaning} ${mend}`;
}

function digestText({ count, urgentCount, first }: Digest<Told>, { isClusterNamed }: AlertWording): string {
  const reloaded = count - urgentCount;
  const counts = [
    ...(reloaded > 0 ? [`reloaded ${workloads(reloaded)}`] : []),
    ...(urgentCount > 0 ? [`could not reload ${workloads(urgentCount)}`] : []),
  ];
  const listed = first.map((told) => {
    const { report } = told;
    const where = isClusterNamed
      ? `${describe(report.workload)} in cluster *${report.clusterName}*`
      : describe(report.workload);
    return isFailure(told) ? `${where} (${causeOf(told)})` : where;
  });
  const more = count - first.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `Reloader ${counts.join(" and ")} in a short time: ${listed.join(", ")}${rest}`;
}

function causeOf(told: Told): string {
  if (told.type === "rolled") return "";
  return told.type === "failed" ? told.report.code : told.report.reason;
}

function workloads(count: number): string {
  return count === 1 ? "1 workload" : `${count} workloads`;
}

function describe({ kind, namespace, name }: WorkloadRef): string {
  return `*${name}* of type *${kind}* in namespace *${namespace}*`;
}
