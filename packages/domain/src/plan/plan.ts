import type { AppliedSource } from "../applied/applied-source.ts";
import type { AppliedState } from "../applied/applied-state.ts";
import { utf8 } from "../bytes.ts";
import { compatDeletedMarker } from "../compat/hash.ts";
import { coversKeys } from "../reference/object-use.ts";
import { combineMarks, type Mark, markOf } from "../source/mark.ts";
import type { MarkedSource } from "../strategy/edit.ts";
import { type GoneSource, goneSource, whyMissed } from "./gone-source.ts";
import { keysThatMatter, type LiveContent, localName, type ObservedSource } from "./observed-source.ts";
import { type PlanContext, type PlanInput, planContextOf } from "./plan-input.ts";
import type { RollReason } from "./reasons.ts";
import {
  earlierAfter,
  earlierKept,
  isRecordedDuringRollout,
  keptEarlier,
  mayBringBack,
  whyChangedBack,
  whyReturned,
} from "./returned-pods.ts";
import { type DigestedSource, digestOf, isSameContent } from "./same-content.ts";
import { ownVerdict, type WhyRoll, whyRoll, whyWider } from "./why-roll.ts";

/** A source whose content the workload's pods do not have yet, or that is gone: its mark then is the peer's for that. */
export interface ChangedObservation extends MarkedSource {
  readonly reason: RollReason;
}

/** The workload has to roll. */
export interface RollPlan {
  readonly type: "roll";
  readonly applied: AppliedState;
  readonly changed: readonly ChangedObservation[];
  /** Every source there is, changed or not, with its mark; and one mark for all of them. */
  readonly present: readonly MarkedSource[];
  readonly mark: Mark;
  readonly hingesOnPods: boolean;
}

/**
 * `applied` is the applied state afterwards; undefined removes it (nothing is opted in to). `hingesOnPods`: it may turn out
 * differently once it is known when the pods started.
 */
export type Plan =
  | RollPlan
  | { readonly type: "record"; readonly applied: AppliedState | undefined; readonly hingesOnPods: boolean };

/**
 * Compares what the pods run with to what is live. Pure: the same world gives the same plan, so that a repeat, a duplicate
 * and a second worker plan nothing new once the first has written.
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
  // A pattern led to a source that is gone by now, and that the applied state does not name.
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

/** What the applied state says afterwards of the workload itself. */
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
    // A roll that is repeated, by any worker and under any settings, has the same applied state.
    served: (isRolled ? applied?.served : undefined) ?? served ?? applied?.served,
    template: {
      digest,
      togetherUntilSeconds: isRolled ? 0 : togetherUntilSeconds,
      ...(isDuringRollout ? { isDuringRollout } : {}),
    },
  };
}

/**
 * Where a roll is not verified, the sources are judged by what counts without it, and then as if it had landed: its pods run with what it
 * was made for, and the content may have gone back since. Only a template that was made for the live content tells that nothing is missing.
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
 * Pods read a source that is set aside, too, when something else starts them. When it counts again it is compared with what they run with.
 * It is left out where nobody knows that, as before it counted first. The mark on the template does not tell: it is made of the others.
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

type PresentSource = AppliedSource & { readonly type: "present" };

interface SourceVerdict extends WhyRoll {
  /** The applied state of the source from now on; undefined: none. */
  readonly applied: AppliedSource | undefined;
  /** Mark of the live content, or that of a source that is gone; undefined when it has none to write. */
  readonly mark: string | undefined;
  /** The pods of before may run with another content. */
  readonly isReplaced?: boolean;
}

function judgeSource(observed: ObservedSource, input: PlanContext): SourceVerdict {
  const appliedBefore = input.applied?.sources.get(localName(observed.ref));
  const before = comparable(appliedBefore, input) ?? absentByPattern(observed, input.applied);
  const { live } = observed;
  if (live === undefined) return judgeGoneSource(observed, before, input);
  if (live === "unseen" || isPast(live, before))
    return { applied: appliedBefore ?? neverShown(observed), mark: undefined, reason: undefined };
  return judgeLiveSource(observed, live, before, input);
}

function judgeLiveSource(
  observed: ObservedSource,
  live: LiveContent,
  before: AppliedSource | undefined,
  input: PlanContext,
): SourceVerdict {
  const keys = keysThatMatter(observed);
  const mark = markOf(observed.ref, live.content, keys, input.keys.current);
  const { keyId } = input.keys.current;
  const now = { digest: digestOf(mark), keyId, keys };
  const source = { observed, live, now };
  const isSame = before?.type === "present" && isSameContent(source, before, input);
  const asOf = (isSame ? before : live).asOfSeconds;
  const missed: WhyRoll = isSame ? whyMissed(source, before, input) : { reason: undefined };
  const why = isSame
    ? whyRollSame(source, { before, missed }, input)
    : whyRoll(observed, live, before, input);
  const earlier = isSame
    ? earlierKept(before.earlier, why)
    : earlierAfter({ observed, live, before, why }, input);
  const goneAfter = isSame && missed.pods !== undefined ? before.goneAfterSeconds : undefined;
  const applied: AppliedSource = {
    type: "present",
    ...now,
    ...(asOf === undefined ? {} : { asOfSeconds: asOf }),
    ...(goneAfter === undefined ? {} : { goneAfterSeconds: goneAfter }),
    ...(earlier === undefined ? {} : { earlier }),
  };
  return { applied, mark, isReplaced: !isSame && earlier !== undefined, ...why };
}

/** Why it rolls the workload although the pods are noted to run with this content. */
function whyRollSame(
  source: DigestedSource,
  { before, missed }: { readonly before: PresentSource; readonly missed: WhyRoll },
  input: PlanContext,
): WhyRoll {
  if (missed.reason !== undefined) return missed;
  const other = whyOlder(source, before, input);
  return (other.reason ?? other.pods) ? other : missed;
}

/** Why pods may run with an older content than the one that is noted. */
function whyOlder(source: DigestedSource, before: PresentSource, input: PlanContext): WhyRoll {
  // The applied state says nothing of keys that are read only now.
  if (!coversKeys(before.keys, source.now.keys)) return whyWider(source, input);
  const returned = whyReturned(source, before.earlier, input);
  return (returned.reason ?? returned.pods) ? returned : whyChangedBack(source, input);
}

/** Of a class whose content nothing has shown yet: what its pods show first is what they started with. */
function neverShown({ ref }: ObservedSource): AppliedSource | undefined {
  return ref.kind === "SecretProviderClass" ? { type: "absent" } : undefined;
}

/** What was digested with a key that we do not have says nothing. */
function comparable(
  appliedBefore: AppliedSource | undefined,
  { keys }: PlanInput,
): AppliedSource | undefined {
  return appliedBefore?.type === "present" && keys.find(appliedBefore.keyId) === undefined
    ? undefined
    : appliedBefore;
}

/** A name pattern was looked up and did not lead to it: it did not exist. */
function absentByPattern(
  observed: ObservedSource,
  applied: AppliedState | undefined,
): AppliedSource | undefined {
  const isLookedUp = observed.patterns.some((pattern) => applied?.patterns.includes(pattern));
  return isLookedUp ? { type: "absent" } : undefined;
}

/** A pod that shows an older content than the applied one is about to go, or to follow: this is no change back. */
function isPast(live: LiveContent, before: AppliedSource | undefined): boolean {
  if (before?.type !== "present" || before.asOfSeconds === undefined) return false;
  return live.asOfSeconds !== undefined && live.asOfSeconds < before.asOfSeconds;
}

function judgeGoneSource(
  observed: ObservedSource,
  before: AppliedSource | undefined,
  input: PlanContext,
): SourceVerdict {
  const { rules, sha1 } = input;
  const isDeleted = rules.reloadOnDelete && before?.type === "present" && before.isSetAside !== true;
  const isDue = isDeleted && !isDeletionLanded(observed, input);
  const { applied: after, ...hint }: GoneSource = isDeleted
    ? { applied: { type: "absent" } }
    : goneSource(observed, before, input);
  return {
    ...hint,
    // Every name that ever matched a pattern would be too many: the recorded pattern says the same.
    applied: observed.patterns.length > 0 && after.type === "absent" ? undefined : after,
    mark: isDue ? sha1(utf8(compatDeletedMarker)) : undefined,
    reason: isDue ? "SourceDeleted" : undefined,
  };
}

/** A roll for the deletion was tried, and the template has the mark that it wrote. The mark alone may be older than the source. */
function isDeletionLanded({ ref }: ObservedSource, { isMarkCurrent, unverified }: PlanContext): boolean {
  const isTried = unverified !== undefined && unverified.sources.get(localName(ref))?.type !== "present";
  return isTried && isMarkCurrent;
}
