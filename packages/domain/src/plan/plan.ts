import type { AppliedState } from "../applied/applied-state.ts";
import { combineMarks, type Mark } from "../source/mark.ts";
import type { MarkedSource } from "../strategy/edit.ts";
import { judgeSource, type SourceVerdict } from "./judge-source.ts";
import { localName, type ObservedSource } from "./observed-source.ts";
import { type PlanContext, type PlanInput, planContextOf } from "./plan-input.ts";
import type { RollReason } from "./reasons.ts";
import { isRecordedDuringRollout, keptEarlier, mayBringBack } from "./returned-pods.ts";
import { ownVerdict } from "./why-roll.ts";

/**
 * A source that rolls the workload: the pods do not have its content yet, or it is gone. For a source that is gone the mark is the peer's hash
 * of a deletion.
 */
export interface ChangedObservation extends MarkedSource {
  readonly reason: RollReason;
}

/** The workload has to roll. */
export interface RollPlan {
  readonly type: "roll";
  readonly applied: AppliedState;
  readonly changed: readonly ChangedObservation[];
  /** Every existing source with its mark, changed or not; and one mark for all of them. */
  readonly present: readonly MarkedSource[];
  readonly mark: Mark;
  readonly hingesOnPods: boolean;
}

/**
 * `applied` is the applied state afterwards; undefined removes it, because the workload opts in to nothing. `hingesOnPods`: the plan may change
 * once the start of the pods is known.
 */
export type Plan =
  | RollPlan
  | { readonly type: "record"; readonly applied: AppliedState | undefined; readonly hingesOnPods: boolean };

/**
 * Compares what the pods run with to the live sources. Pure: the same world gives the same plan. After the first write, a repeat, a duplicate or
 * a second worker plans nothing new.
 */
export function plan(input: PlanInput): Plan {
  const patterns = input.rules.reloadOnCreate ? input.patterns : [];
  if (input.observedSources.length + input.setAside.length + patterns.length === 0)
    return { type: "record", applied: undefined, hingesOnPods: false };
  const context = planContextOf(input);
  const seen = judgeAll(context, input.observedSources);
  const changed = seen.flatMap(({ observed, reason, mark }) =>
    reason === undefined || mark === undefined
      ? []
      : [{ source: observed.ref, mode: observed.mode, mark, reason }],
  );
  const isRolled = changed.length > 0;
  const all = [...seen, ...judgeSetAside(context, isRolled)];
  // A pattern led to a source that is gone by now and that the applied state does not name.
  if (!isRolled && patterns.length === 0 && all.every(({ applied }) => applied === undefined))
    return { type: "record", applied: undefined, hingesOnPods: false };
  const sources = new Map(
    keptEarlier(all, context, isRolled).flatMap(({ observed, applied }) =>
      applied === undefined ? [] : [[localName(observed.ref), applied] as const],
    ),
  );
  const isReplaced = all.some(({ isReplaced: its }) => its === true);
  const isDuringRollout = isRolled ? mayBringBack(all) : isRecordedDuringRollout(context, isReplaced);
  const applied = { ...appliedAfter(context, { isRolled, isDuringRollout }), sources, patterns };
  const hingesOnPods = input.pods === undefined && all.some(({ pods }) => pods !== undefined);
  if (!isRolled) return { type: "record", applied, hingesOnPods };
  const present = seen.flatMap(({ observed, mark, reason }) =>
    mark === undefined || reason === "SourceDeleted"
      ? []
      : [{ source: observed.ref, mode: observed.mode, mark }],
  );
  return {
    type: "roll",
    applied,
    changed,
    present,
    mark: combineMarks(present, input.keys.current),
    hingesOnPods,
  };
}

/** The parts of the new applied state that describe the workload itself. */
function appliedAfter(
  context: PlanContext,
  { isRolled, isDuringRollout }: { readonly isRolled: boolean; readonly isDuringRollout: boolean },
): Omit<AppliedState, "sources" | "patterns"> {
  const { applied, keys, served, template, workload } = context;
  const { digest, togetherUntilSeconds } = template;
  return {
    keyId: keys.current.keyId,
    uid: workload.uid,
    count: applied?.count ?? 0,
    // A repeated roll, by any worker and with any settings, writes the same applied state.
    served: (isRolled ? applied?.served : undefined) ?? served ?? applied?.served,
    template: {
      digest,
      togetherUntilSeconds: isRolled ? 0 : togetherUntilSeconds,
      ...(isDuringRollout ? { isDuringRollout } : {}),
    },
  };
}

/**
 * Judges all sources. If a roll is not verified, each source is judged by the trusted state, and then as if the roll had landed: its pods would
 * run with the content of that roll, and the content may have changed back since. Only a template that was made for the live content proves that
 * the pods miss nothing.
 */
function judgeAll(context: PlanContext, sources: readonly ObservedSource[]): readonly ObservedVerdict[] {
  const { unverified, ...input } = context;
  const landed =
    unverified &&
    planContextOf({
      ...input,
      applied: unverified,
      isDamaged: false,
      appliedAtSeconds: undefined,
    });
  return sources.map((observed) => {
    const verdict = judgeSource(observed, context);
    if (landed === undefined || verdict.reason !== undefined || ownVerdict(observed, context) === "same")
      return { observed, ...verdict };
    const ifLanded = judgeSource(observed, landed);
    const mayMiss = ifLanded.pods !== undefined && ifLanded.pods !== "if-gone";
    const isMissing = ifLanded.reason !== undefined || mayMiss;
    return { observed, ...(isMissing ? ifLanded : verdict) };
  });
}

/**
 * Judges the sources that are set aside. Pods read them, too, when something else starts the pods. When such a source counts again, it is
 * compared with what the pods run with. It is left out of the applied state if nobody knows that, as before it counted first. The mark on the
 * template says nothing about it, because that mark is made of the other sources.
 */
function judgeSetAside(context: PlanContext, isRolled: boolean): readonly ObservedVerdict[] {
  const { applied, rules, setAside, unverified } = context;
  const before = ({ ref }: ObservedSource) => applied?.sources.get(localName(ref));
  const known = setAside.filter((observed) => before(observed)?.type === "present");
  return judgeAll({ ...context, isMarkCurrent: false }, known).map(({ observed, reason, ...verdict }) => {
    const kept = unverified === undefined ? before(observed) : undefined;
    const after = isRolled || reason === undefined ? verdict.applied : kept;
    const isMarked = rules.reloadOnDelete && after?.type === "present";
    return {
      observed,
      applied: isMarked ? { ...after, isSetAside: true } : after,
      mark: undefined,
      reason: undefined,
      ...(isRolled || verdict.pods === undefined ? {} : { pods: verdict.pods }),
    };
  });
}

interface ObservedVerdict extends SourceVerdict {
  readonly observed: ObservedSource;
}
