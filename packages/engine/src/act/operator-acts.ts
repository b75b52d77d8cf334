import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import type { HistoryRecord, OperatorRecord } from "../history/history.ts";
import { refusedQuestion } from "../overview/refused-question.ts";

/** The acts in the history. `unfreeze`: a freeze is gone, and it is not known who removed it. */
const recordedActions = ["retry", "replay", "release", "discard", "freeze", "lift", "unfreeze"] as const;

/** What an operator did, whether at once or in parts. */
export interface OperatorAct {
  readonly id: string;
  /** When its first part was done, as RFC 3339 in UTC. */
  readonly time: string;
  readonly action: string;
  /** The operator; empty if not known. */
  readonly by: string;
  readonly reason: string;
  /** The target, as the operator wrote it. */
  readonly target: string;
  readonly scope: NonNullable<OperatorRecord["scope"]>;
  /** How many workloads were done. Undefined: they are not counted. */
  readonly count: number | undefined;
  /** How many workloads the act meant when it began. */
  readonly of: number | undefined;
}

/** Selects acts; an empty field matches any. */
export interface OperatorActFilter {
  /** The exact operator. */
  readonly by: string;
  readonly action: string;
  /** A part of the target, the reason, the operator or the act, ignoring case. */
  readonly text: string;
}

/** The acts that match a filter, newest first. Faults when the filter names an unknown act. */
export function operatorActs(
  records: Iterable<HistoryRecord>,
  { action, by, text }: OperatorActFilter,
): readonly OperatorAct[] {
  assertRecorded(action);
  const wanted = text.toLowerCase();
  const isShown = (act: OperatorAct) =>
    (by === "" || act.by === by) &&
    (action === "" || act.action === action) &&
    [act.target, act.reason, act.by, act.action].some((one) => one.toLowerCase().includes(wanted));
  return wholeActs(records).filter(isShown).toSorted(newestActFirst);
}

/** Joins the parts of each act to one act. A part that was done twice counts once. */
function wholeActs(records: Iterable<HistoryRecord>): readonly OperatorAct[] {
  const acts = Map.groupBy(
    [...records].filter((record) => record.type === "operator"),
    ({ action, by, part, target, time }) => part?.id ?? `${time} ${action} ${by} ${target}`,
  );
  return [...acts].flatMap(([id, parts]) => wholeAct(id, parts) ?? []);
}

function wholeAct(id: string, parts: readonly OperatorRecord[]): OperatorAct | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const { action, by, note = "", reason = note, scope = {}, target, time } = first;
  // Each part begins where the one before it ended, so the furthest end counts, even if parts are missing.
  const ends = parts.flatMap((one) => (one.count === undefined ? [] : (one.part?.before ?? 0) + one.count));
  const count = ends.length === 0 ? undefined : Math.max(...ends);
  return { id, time, action, by, reason, target, scope, count, of: first.part?.of ?? count };
}

/** Acts of the same time are ordered by id, so that the next page continues in the same order. */
function newestActFirst(a: OperatorAct, b: OperatorAct): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

function assertRecorded(action: string): void {
  if (action === "" || recordedActions.some((one) => one === action)) return;
  const near = nearestName(action, recordedActions);
  throw refusedQuestion({
    field: "action",
    value: action,
    problem: `action ${action}: no act is called so`,
    mend: near === undefined ? `write one of ${recordedActions.join(", ")}` : `did you mean ${near}?`,
  });
}

interface CountedAct {
  readonly action: string;
  readonly count?: number | undefined;
  readonly of?: number | undefined;
}

/** The result of an act, for people. */
export function actResultText({ action, count, of }: CountedAct): string {
  if (count === undefined || of === undefined) return "done";
  const workloads = `${of} workload${of === 1 ? "" : "s"}`;
  const verb = resultVerbs[action] ?? "done";
  return count < of ? `${verb} ${count} of ${workloads}; the rest was not done` : `${verb} ${workloads}`;
}

const resultVerbs: Readonly<Record<string, string>> = {
  retry: "checked",
  replay: "checked",
  release: "checked",
  discard: "discarded",
  // Another freeze may hold some of them all the same.
  lift: "lifted a freeze of",
};
