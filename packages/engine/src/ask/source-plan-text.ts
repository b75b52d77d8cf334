import { isNoReason } from "@fleet-reloader/domain/decision/reasons";
import { localName } from "@fleet-reloader/domain/plan/observed-source";
import { redisNotAsked } from "./explanation-text.ts";
import { reasonText } from "./reason-texts.ts";
import type { ContentReach, PlannedUser, SourcePlan } from "./source-plan.ts";

/** A plan in plain sentences, with the workloads in groups. */
export function sourcePlanText(plan: SourcePlan): string {
  const { cluster, source, state, nearest, users } = plan;
  const head = `${localName(source)} in namespace ${source.namespace} of cluster ${cluster}`;
  const known = plan.isRedisAsked ? [] : [redisNotAsked];
  const lines = [head, "", ...known, questionText(plan)];
  if (state === "missing")
    lines.push(`It does not exist${nearest === undefined ? "" : `; did you mean ${nearest}?`}`);
  lines.push(...absentKeyLines(plan));
  if (state === "unseen") lines.push("It shows no content now, so nothing is known of a change.");
  if (users.length === 0) lines.push("", "No workload of the namespace uses or names it.");
  for (const [title, group] of groupsOf(users)) {
    if (group.length > 0) lines.push("", `${title} (${group.length}):`, ...group.map(userLine));
  }
  if (users.filter(({ verdict, isCause }) => isCause && verdict.type === "roll").length > 1)
    lines.push(
      "",
      "Breakers and budgets were asked for each roll alone. Together they may roll one after another.",
    );
  return `${lines.join("\n")}\n`;
}

/** A sentence for each asked key that the source does not have. */
export function absentKeyLines({ absentKeys = [] }: Pick<SourcePlan, "absentKeys">): readonly string[] {
  return absentKeys.map(({ name, nearest: meant }) => {
    const rest = meant === undefined ? ": as if it were added." : `; did you mean ${meant}?`;
    return `It has no key ${name}${rest}`;
  });
}

function questionText({ keys, state }: SourcePlan): string {
  if (state === "missing") return "If it were created now:";
  return keys === "all"
    ? "If every key of it changed now:"
    : `If its ${keys.length === 1 ? "key" : "keys"} ${keys.join(", ")} changed now:`;
}

function groupsOf(users: readonly PlannedUser[]): readonly (readonly [string, readonly PlannedUser[]])[] {
  const causing = users.filter(({ isCause }) => isCause);
  const unknown = users.filter(({ verdict }) => verdict.type === "unknown");
  const others = users.filter(({ isCause, verdict }) => !isCause && verdict.type !== "unknown");
  const reached = (reach: ContentReach) => others.filter((user) => user.reach === reach);
  return [
    ["These would roll", causing.filter(({ verdict }) => verdict.type === "roll")],
    ["These would roll, and are held", causing.filter(({ verdict }) => verdict.type === "held")],
    ["It is not known here whether these would roll", unknown],
    ["These do not roll for it, and Kubernetes updates the mounted files", reached("files")],
    ["These do not roll for it, and keep the old content until their pods restart", reached("restart")],
    ["These do not roll for it, and use nothing of what changes", reached("none")],
  ];
}

function userLine({ workload, verdict, isCause, reason }: PlannedUser): string {
  const line = (text: string) => `  ${workload.kind}/${workload.name}: ${text}`;
  switch (verdict.type) {
    case "held": {
      const until = verdict.until === undefined ? "" : `, until ${verdict.until}`;
      return line(isCause ? `${verdict.reason}: ${verdict.why}${until}` : reasonText(reason));
    }
    case "roll":
      return line(isCause ? reasonText(reason) : `${reasonText(reason)} It rolls now for another source.`);
    case "stays":
      return line(reasonText(plannedStayReason(verdict.reason, reason)));
    default:
      return line(reasonText(verdict.reason));
  }
}

/**
 * The reason to show when nothing rolls. The reason of a source that counts says only why it counts. If the source does not count, its
 * own reason is shown: the verdict may have that of another source.
 */
function plannedStayReason(reason: string, own: PlannedUser["reason"]): string {
  return reason === "ContentUnchanged" || isNoReason(reason) ? own : reason;
}
