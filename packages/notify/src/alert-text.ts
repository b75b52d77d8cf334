import { compatKindName } from "@fleet-reloader/domain/compat/kind-name";
import { faultCatalogue } from "@fleet-reloader/domain/fault";
import { rolloutReasons } from "@fleet-reloader/domain/rollout-state/reasons";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { HoldReport } from "@fleet-reloader/engine/ports/reporter";
import type { Digest, Letter } from "./outbox.ts";
import { isUrgent, type Told, type Urgent } from "./told.ts";

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

function digestText({ count, counts, first }: Digest<Told>, { isClusterNamed }: AlertWording): string {
  const listed = first.map((told) => {
    const { report } = told;
    const where = isClusterNamed
      ? `${describe(report.workload)} in cluster *${report.clusterName}*`
      : describe(report.workload);
    return isUrgent(told) ? `${where} (${causeOf(told)})` : where;
  });
  const more = count - first.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `Reloader ${countsText(counts)} in a short time: ${listed.join(", ")}${rest}`;
}

function causeOf(told: Urgent): string {
  return told.type === "failed" ? told.report.code : told.report.reason;
}

/** What was held may be rolled yet, and what was rolled has its own outcome: neither could not be reloaded. */
function countsText(counts: Digest<Told>["counts"]): string {
  const phrases = {
    rolled: (some: string) => `reloaded ${some}`,
    failed: (some: string) => `could not reload ${some}`,
    "rollout-failed": (some: string) => `saw the rollout of ${some} fail`,
    held: (some: string) => `holds the reload of ${some}`,
  } as const satisfies Record<Told["type"], (some: string) => string>;
  const parts = Object.entries(phrases).flatMap(([type, phrase]) => {
    const count = counts.get(type) ?? 0;
    return count === 0 ? [] : [phrase(workloads(count))];
  });
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

function workloads(count: number): string {
  return count === 1 ? "1 workload" : `${count} workloads`;
}

function describe({ kind, namespace, name }: WorkloadRef): string {
  return `*${name}* of type *${kind}* in namespace *${namespace}*`;
}
