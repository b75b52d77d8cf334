import type { AppliedSource } from "../applied/applied-source.ts";
import type { AppliedState } from "../applied/applied-state.ts";
import { utf8 } from "../bytes.ts";
import { compatDeletedMarker } from "../compat/hash.ts";
import { coversKeys } from "../reference/object-use.ts";
import { markOf } from "../source/mark.ts";
import { type GoneSource, goneSource, whyMissed } from "./gone-source.ts";
import { keysThatMatter, type LiveContent, localName, type ObservedSource } from "./observed-source.ts";
import type { PlanContext, PlanInput } from "./plan-input.ts";
import { earlierAfter, earlierKept, haveAllReturned, whyChangedBack, whyReturned } from "./returned-pods.ts";
import { type DigestedSource, digestOf, isSameContent } from "./same-content.ts";
import { type WhyRoll, whyRoll, whyWider } from "./why-roll.ts";

/** The plan for one source. */
export interface SourceVerdict extends WhyRoll {
  /** The applied state of the source from now on; undefined: none. */
  readonly applied: AppliedSource | undefined;
  /** Mark of the live content, or of the deletion when the source is gone; undefined when there is none to write. */
  readonly mark: string | undefined;
  /** Pods from before may run with another content. */
  readonly isReplaced?: boolean;
}

type PresentSource = AppliedSource & { readonly type: "present" };

/** Compares the live source with the applied state and with other evidence of what the pods run with. */
export function judgeSource(observed: ObservedSource, input: PlanContext): SourceVerdict {
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
  const why = isSame ? whyRollSame(source, { before, missed }, input) : whyRollOther(source, before, input);
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

/** Why a content that differs from the applied one rolls the workload. */
function whyRollOther(
  source: DigestedSource,
  before: AppliedSource | undefined,
  input: PlanContext,
): WhyRoll {
  if (haveAllReturned(source, before, input)) return { reason: undefined };
  return whyRoll(source.observed, source.live, before, input);
}

/** Why the source rolls the workload although the content is the applied one. */
function whyRollSame(
  source: DigestedSource,
  { before, missed }: { readonly before: PresentSource; readonly missed: WhyRoll },
  input: PlanContext,
): WhyRoll {
  if (missed.reason !== undefined) return missed;
  const other = whyOlder(source, before, input);
  return (other.reason ?? other.pods) ? other : missed;
}

/** Why pods may run with an older content than the applied one. */
function whyOlder(source: DigestedSource, before: PresentSource, input: PlanContext): WhyRoll {
  // The applied state does not cover keys that are read only now.
  if (!coversKeys(before.keys, source.now.keys)) return whyWider(source, input);
  const returned = whyReturned(source, before.earlier, input);
  return (returned.reason ?? returned.pods) ? returned : whyChangedBack(source, input);
}

/** For a class whose content no pod has shown yet: the content that its pods show first is the one they started with. */
function neverShown({ ref }: ObservedSource): AppliedSource | undefined {
  return ref.kind === "SecretProviderClass" ? { type: "absent" } : undefined;
}

/** Undefined for a digest that was made with a key we do not have: it cannot be compared. */
function comparable(
  appliedBefore: AppliedSource | undefined,
  { keys }: PlanInput,
): AppliedSource | undefined {
  return appliedBefore?.type === "present" && keys.find(appliedBefore.keyId) === undefined
    ? undefined
    : appliedBefore;
}

/** Absent when a recorded name pattern leads to the source but did not find it: it did not exist. */
function absentByPattern(
  observed: ObservedSource,
  applied: AppliedState | undefined,
): AppliedSource | undefined {
  const isLookedUp = observed.patterns.some((pattern) => applied?.patterns.includes(pattern));
  return isLookedUp ? { type: "absent" } : undefined;
}

/** A pod that shows an older content than the applied one is about to end or to be updated. It is no change back. */
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
    // The recorded pattern says the same. Every name that ever matched a pattern would be too many.
    applied: observed.patterns.length > 0 && after.type === "absent" ? undefined : after,
    mark: isDue ? sha1(utf8(compatDeletedMarker)) : undefined,
    reason: isDue ? "SourceDeleted" : undefined,
  };
}

/** Whether an earlier roll for the deletion has landed: it was tried, and the template has its mark. The mark alone may be older than the source. */
function isDeletionLanded({ ref }: ObservedSource, { isMarkCurrent, unverified }: PlanContext): boolean {
  const isTried = unverified !== undefined && unverified.sources.get(localName(ref))?.type !== "present";
  return isTried && isMarkCurrent;
}
