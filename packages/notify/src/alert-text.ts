import { compatKindName } from "@fleet-reloader/domain/compat/kind-name";
import { faultCatalogue } from "@fleet-reloader/domain/fault";
import { failureMeaning } from "@fleet-reloader/domain/rollout-state/failure-meaning";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { HoldReport } from "@fleet-reloader/engine/ports/reporter";
import { isUrgent, type Notification, type Urgent } from "./notification.ts";
import type { Digest, Letter } from "./outbox.ts";

export interface AlertWording {
  /** Prefix of every alert, for example the name of the installation; the peer's ALERT_ADDITIONAL_INFO. */
  readonly additionalInfo: string;
  /** If there are several clusters, an alert has to name its cluster. */
  readonly isClusterNamed: boolean;
}

/** A person does not read more sources in one line. */
const alertSourcesMax = 5;

/** The alert as a text with names in `*bold*`. A single changed source gives exactly the peer's sentence. */
export function alertText(letter: Letter<Notification>, wording: AlertWording): string {
  const text =
    letter.type === "single" ? alertSentence(letter.item, wording) : digestText(letter.digest, wording);
  return wording.additionalInfo === "" ? text : `${wording.additionalInfo} : ${text}`;
}

function alertSentence(notification: Notification, { isClusterNamed }: AlertWording): string {
  const { clusterName, workload } = notification.report;
  const text = saying(notification, workload);
  return isClusterNamed ? `${clusterName} : ${text}` : text;
}

function saying(notification: Notification, workload: WorkloadRef): string {
  switch (notification.type) {
    case "rolled":
      return rolledAlert(notification);
    case "failed":
      return failedAlert(notification, workload);
    case "rollout-failed":
      return rolloutText(notification);
    case "held":
      return heldAlert(notification.report);
  }
}

/** The reason and its meaning. The messages of the controllers stay in the cluster. */
function rolloutText({ report }: Notification & { type: "rollout-failed" }): string {
  const { reason, workload } = report;
  return `Reloader reloaded ${describeWorkload(workload)}, and its rollout has failed: ${reason}. ${failureMeaning(reason)}`;
}

function heldAlert({ reason, why, workload, untilMs }: HoldReport): string {
  const until = untilMs === undefined ? "" : ` Looked at again at ${new Date(untilMs).toISOString()}.`;
  return `Reloader holds the reload of ${describeWorkload(workload)}: ${reason}: ${why}.${until}`;
}

function rolledAlert({ report }: Notification & { type: "rolled" }): string {
  const named = report.sources.slice(0, alertSourcesMax).map(({ name, kind, namespace }) => {
    return `*${name}* of type *${compatKindName(kind)}* in namespace *${namespace}*`;
  });
  const more = report.sources.length - named.length;
  const sources = more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
  return `Reloader detected changes in ${sources}. Hence reloaded ${describeWorkload(report.workload)}`;
}

/** The API server's message stays in the log and in the Events of the cluster. The alert uses the text of the catalogue. */
function failedAlert({ report }: Notification & { type: "failed" }, workload: WorkloadRef): string {
  const { meaning, mend } = faultCatalogue[report.code];
  return `Reloader could not reload ${describeWorkload(workload)}: ${report.code}. ${meaning} ${mend}`;
}

function digestText(
  { count, counts, first }: Digest<Notification>,
  { isClusterNamed }: AlertWording,
): string {
  const listed = first.map((notification) => {
    const { report } = notification;
    const where = isClusterNamed
      ? `${describeWorkload(report.workload)} in cluster *${report.clusterName}*`
      : describeWorkload(report.workload);
    return isUrgent(notification) ? `${where} (${causeOf(notification)})` : where;
  });
  const more = count - first.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return `Reloader ${countsText(counts)} in a short time: ${listed.join(", ")}${rest}`;
}

function causeOf(notification: Urgent): string {
  return notification.type === "failed" ? notification.report.code : notification.report.reason;
}

/** A held workload may still roll, and a rolled one has an outcome of its own. Neither failed to reload. */
function countsText(counts: Digest<Notification>["counts"]): string {
  const phrases = {
    rolled: (some: string) => `reloaded ${some}`,
    failed: (some: string) => `could not reload ${some}`,
    "rollout-failed": (some: string) => `saw the rollout of ${some} fail`,
    held: (some: string) => `holds the reload of ${some}`,
  } as const satisfies Record<Notification["type"], (some: string) => string>;
  const parts = Object.entries(phrases).flatMap(([type, phrase]) => {
    const count = counts.get(type) ?? 0;
    return count === 0 ? [] : [phrase(workloadsText(count))];
  });
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

function workloadsText(count: number): string {
  return count === 1 ? "1 workload" : `${count} workloads`;
}

function describeWorkload({ kind, namespace, name }: WorkloadRef): string {
  return `*${name}* of type *${kind}* in namespace *${namespace}*`;
}
