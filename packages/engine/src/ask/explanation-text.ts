import { localName } from "@fleet-reloader/domain/plan/observed-source";
import type { ReferenceUse } from "@fleet-reloader/domain/reference/collect";
import type {
  DiscardedRoll,
  ExplainedCause,
  ExplainedSource,
  ExplainedVerdict,
  ExplainedWait,
  Explanation,
  OptInClause,
  UnsuccessfulRoll,
} from "./explanation.ts";
import { reasonText } from "./reason-texts.ts";

/** Says what is missing from an answer without Redis. */
export const redisNotAsked =
  "Redis was not asked: breakers, budgets and the queue are not known. Give --redis-url.";

/** An explanation in plain sentences. */
export function explanationText(explanation: Explanation): string {
  const { cluster, workload, verdict, optIn, sources, problems } = explanation;
  const head = `${workload.kind}/${workload.name} in namespace ${workload.namespace} of cluster ${cluster}`;
  const lines = [head, "", ...verdictLines(verdict), ...waitLines(explanation.waiting)];
  for (const line of lastRollLines(explanation)) lines.push(line);
  for (const line of oldPodLines(explanation)) lines.push(line);
  if (verdict.type === "unserved") return ended(lines);
  lines.push("", "Annotations:", ...clauseLines(optIn));
  lines.push("", "Sources:", ...(sources.length === 0 ? ["  none"] : sources.flatMap(sourceLines)));
  if (problems.length > 0) lines.push("", "Mistakes in annotations:");
  for (const { annotation, value, problem, mend } of problems)
    lines.push(`  ${annotation}: ${JSON.stringify(value)} ${problem}; ${mend}`);
  return ended(lines);
}

/** What a worker would do, and why. */
export function verdictLines(verdict: ExplainedVerdict): readonly string[] {
  switch (verdict.type) {
    case "roll":
      return ["It would roll now:", ...causeLines(verdict.causes)];
    case "held":
      return [
        `It would roll, but the roll is held: ${reasonText(verdict.reason)}`,
        `  ${verdict.why}`,
        verdict.until === undefined ? "  The end is not known." : `  It ends at ${verdict.until}.`,
        "It would roll:",
        ...causeLines(verdict.causes),
      ];
    case "stays":
      return [`It would not roll: ${reasonText(verdict.reason)}`];
    case "unserved":
      return [`No worker decides on it: ${reasonText(verdict.reason)}`];
    case "unknown":
      return [`It is not known here whether it would roll: ${reasonText(verdict.reason)}`];
  }
}

/** Says if pods may run with an older content than the recorded one. */
export function oldPodLines({
  isPaused,
  pausedUntil,
  podKeeper,
}: Pick<Explanation, "isPaused" | "pausedUntil" | "podKeeper">): readonly string[] {
  const byPeriod = `Its pause-period has paused it until ${pausedUntil}. It is resumed by itself then, and a roll reaches its pods.`;
  const byPerson = "It is paused: a roll reaches its pods when it is resumed.";
  return [
    ...(isPaused ? [pausedUntil === undefined ? byPerson : byPeriod] : []),
    ...(podKeeper === undefined ? [] : [podKeeperTexts[podKeeper]]),
  ];
}

const podKeeperTexts = {
  OnDelete: "Its update strategy is OnDelete: a roll reaches a pod when somebody deletes the pod.",
  Partition:
    "Its update strategy has a partition: a roll reaches the pods from that ordinal on, and no others.",
  NoConfigChange: "It has no ConfigChange trigger: a roll reaches its pods with its next deployment.",
} as const;

/** Says that the last roll failed or stalled, or was discarded after that. */
export function lastRollLines({
  discarded,
  failed,
}: Pick<Explanation, "discarded" | "failed">): readonly string[] {
  return [
    ...(failed === undefined ? [] : [failedLine(failed)]),
    ...(discarded === undefined ? [] : [discardedLine(discarded)]),
  ];
}

function failedLine({ meaning, message, reason, result, time }: UnsuccessfulRoll): string {
  const said = message === undefined ? "" : ` (${message})`;
  return `Its last roll ${result} at ${time}: ${reason}. ${meaning}${said}`;
}

function discardedLine({ by, reason, time }: DiscardedRoll): string {
  return `Its last roll failed and was discarded by ${by} at ${time}: ${reason}`;
}

function causeLines(causes: readonly ExplainedCause[]): readonly string[] {
  return causes.map(({ source, reason }) => `  ${localName(source)}: ${reasonText(reason)}`);
}

function waitLines(waiting: ExplainedWait | undefined): readonly string[] {
  if (waiting === undefined) return [redisNotAsked];
  if (!waiting.isWaiting) return ["No request for it waits in the queue."];
  const { hold } = waiting;
  if (hold === undefined) return ["A request for it waits in the queue."];
  const until = hold.until === undefined ? "" : ` It ends at ${hold.until}.`;
  const what = `A request for it is held in the queue: ${reasonText(hold.reason)}`;
  return [`${what}${until} A worker asks again by ${hold.again}.`];
}

function clauseLines(clauses: readonly OptInClause[]): readonly string[] {
  if (clauses.length === 0) return ["  none asks for a reload"];
  return clauses.map(({ name, value, on, means }) => {
    const place = on === "template" ? " (on the pod template)" : "";
    return `  ${name}: ${JSON.stringify(value)}${place} ${means}`;
  });
}

function sourceLines(source: ExplainedSource): readonly string[] {
  const counts = source.counts ? "counts" : "does not count";
  const first = `  ${localName(source.source)} ${counts}: ${reasonText(source.reason)}`;
  const rest = [usedText(source), stateText(source), appliedText(source)].filter((part) => part !== "");
  const frozen = source.frozenBy === undefined ? [] : [`    it is annotated as frozen: ${source.frozenBy}`];
  return [first, `    ${rest.join("; ")}`, ...frozen];
}

function usedText({ keys, uses, isOptional }: ExplainedSource): string {
  if (uses.length === 0) return "the pod template does not use it";
  const which = keys === "all" ? "all keys" : `${keys.length === 1 ? "key" : "keys"} ${keys.join(", ")}`;
  const places = [...new Set(uses.map(placeText))];
  return `${which}, ${isOptional ? "optional" : "required"}, by ${places.join(" and ")}`;
}

function placeText({ how, container }: ReferenceUse): string {
  const isVariable = how === "env" || how === "envFrom";
  const what = isVariable ? "variables" : "a volume";
  if (container === undefined) return `${what} that no container mounts`;
  return container === "" ? `${what} of a container without a name` : `${what} of container ${container}`;
}

function stateText({ state, nearest }: ExplainedSource): string {
  switch (state) {
    case "present":
      return "it exists";
    case "missing":
      return nearest === undefined ? "it does not exist" : `it does not exist; did you mean ${nearest}?`;
    case "unseen":
      return "it is not served, or shows no content now";
    case "unread":
      return "";
  }
}

function appliedText({ applied, counts, rolls }: ExplainedSource): string {
  if (!counts) return "";
  if (rolls !== undefined) return "its content is not with the pods yet";
  if (applied === "present") return "its content is recorded on the workload";
  return applied === "absent" ? "it was missing when the pods started" : "nothing of it is recorded";
}

function ended(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
