import type { AppliedSource } from "../applied/applied-source.ts";
import {
  afterRollAgain,
  contentAt,
  type EarlierContent,
  earlierMax,
  earlierSourcesMax,
  mayRollAgain,
  withEarlier,
} from "../applied/earlier-content.ts";
import { templateEditedAt } from "../applied/template-return.ts";
import { clockSeconds } from "../evidence/pods-start.ts";
import { keysThatMatter, type LiveContent, type ObservedSource } from "./observed-source.ts";
import type { PlanContext } from "./plan-input.ts";
import { type DigestedSource, isSameContent } from "./same-content.ts";
import { appliedAt, ownVerdict, type WhyRoll } from "./why-roll.ts";

/**
 * The contents that pods from before may run with, now that the source contains something else. Undefined: no such pod can stay, or the pods
 * show their content themselves.
 */
export function earlierAfter(
  { observed, live, before, why }: ReplacedContent,
  input: PlanContext,
): readonly EarlierContent[] | undefined {
  const { isDamaged, keys, workload } = input;
  if (!workload.keepsPods || live.asOfSeconds !== undefined) return undefined;
  // The template was made for this content by a roll that is not recorded.
  if (isDamaged && ownVerdict(observed, input) === "same") return undefined;
  const isKnown = before?.type === "present";
  if (!isKnown && why.reason === undefined) return undefined;
  const read = isKnown
    ? { digest: before.digest, keyId: before.keyId, keys: before.keys }
    : { digest: undefined, keyId: keys.current.keyId, keys: keysThatMatter(observed) };
  const others = isKnown ? (before.earlier ?? []) : [];
  return withEarlier({ ...read, untilSeconds: live.writtenAtSeconds }, workload.isRolledOut ? [] : others);
}

interface ReplacedContent {
  readonly observed: ObservedSource;
  readonly live: LiveContent;
  readonly before: AppliedSource | undefined;
  readonly why: WhyRoll;
}

/**
 * The content is the applied one, but the template may be an earlier one whose pods have stayed. A pod that read an earlier content has to be
 * replaced. The earlier content had its roll, or came with a template that is gone.
 */
export function whyReturned(
  source: DigestedSource,
  earlier: readonly EarlierContent[] | undefined,
  input: PlanContext,
): WhyRoll {
  if (earlier === undefined || !input.mayHaveReturned || !mayRollAgain(earlier)) return { reason: undefined };
  if (input.pods === undefined) return { reason: undefined, pods: "if-returned" };
  // A pod that started in the second of a change may have read either content. If it is older than the last template of others, it came back
  // with that template, and is replaced. A pod that started after the applied state was written belongs to the template of that time.
  const { object, templatePath } = input.history;
  const cameBackBefore = Math.min(templateEditedAt(object, templatePath), appliedAt(input));
  const isStale = input.pods.each.some((startedAtSeconds) => {
    const hasComeBack = startedAtSeconds < cameBackBefore;
    const read = contentAt(earlier, hasComeBack ? startedAtSeconds - 1 : startedAtSeconds);
    if (read === undefined) return false;
    const { digest } = read;
    return digest === undefined || !isSameContent(source, { ...read, digest }, input);
  });
  return { reason: isStale ? "ChangedAfterStart" : undefined };
}

/**
 * Whether the content is an earlier one that all pods have read: they stayed while an upgrade hung and was rolled back, or they started since.
 * If clocks of nodes leave a doubt, the answer is no.
 */
export function haveAllReturned(
  source: DigestedSource,
  before: AppliedSource | undefined,
  input: PlanContext,
): boolean {
  const { live } = source;
  const earlier = before?.type === "present" ? before.earlier : undefined;
  // With this many contents, nothing is known of pods from before the first of them.
  if (earlier === undefined || earlier.length === earlierMax || live.asOfSeconds !== undefined) return false;
  const stayed = (input.pods?.each ?? []).filter(
    (startedAt) => startedAt - clockSeconds <= live.writtenAtSeconds,
  );
  const hasRead = (startedAt: number): boolean => {
    const read = contentAt(earlier, startedAt + clockSeconds);
    return read?.digest !== undefined && isSameContent(source, { ...read, digest: read.digest }, input);
  };
  return stayed.length > 0 && stayed.every(hasRead);
}

/**
 * The content is the applied one again, but a roll for another content in between was held. A pod that started in between, because of a scale-up
 * or an eviction, read that other content. A pod may also have read content written in the same second as it started.
 */
export function whyChangedBack({ live }: DigestedSource, input: PlanContext): WhyRoll {
  const { heldSinceSeconds, pods } = input;
  const { asOfSeconds, writtenAtSeconds } = live;
  // If the pods show the content themselves, they run with it.
  if (heldSinceSeconds === undefined || asOfSeconds !== undefined || writtenAtSeconds <= heldSinceSeconds)
    return { reason: undefined };
  if (pods === undefined) return { reason: undefined, pods: "if-returned" };
  const isStale = pods.each.some(
    (startedAt) => startedAt >= heldSinceSeconds && startedAt < writtenAtSeconds,
  );
  return { reason: isStale ? "ChangedAfterStart" : undefined };
}

/** The earlier contents when the content has not changed. Pods from before may run with the same ones. A roll for such pods is counted. */
export function earlierKept(
  earlier: readonly EarlierContent[] | undefined,
  { reason }: WhyRoll,
): readonly EarlierContent[] | undefined {
  return earlier === undefined || reason !== "ChangedAfterStart" ? earlier : afterRollAgain(earlier);
}

/** Keeps the earlier contents of each source only while pods may run with them. */
export function keptEarlier<T extends JudgedContent>(
  all: readonly T[],
  context: PlanContext,
  isRolled: boolean,
): readonly T[] {
  let kept = 0;
  return all.map((one) => {
    const { applied, reason } = one;
    if (applied?.type !== "present" || applied.earlier === undefined) return one;
    const isOver = isRolled
      ? context.workload.isRolledOut && reason === undefined
      : areReturnedJudged(context);
    kept += isOver ? 0 : 1;
    if (!isOver && kept <= earlierSourcesMax) return one;
    const { earlier: _, ...others } = applied;
    return { ...one, applied: others };
  });
}

/** Whether a content changed in the middle of a rollout, and the pods have not shown yet which content they run with. */
export function isRecordedDuringRollout(context: PlanContext, isReplaced: boolean): boolean {
  if (areReturnedJudged(context)) return false;
  const { applied, isEditedSince, workload } = context;
  return (
    ((isReplaced || isEditedSince) && !workload.isRolledOut) || applied?.template?.isDuringRollout === true
  );
}

/**
 * Whether a roll may bring back an earlier template and the pods that have stayed from it: a content changed again before its rollout was over,
 * and the same content gives the same variables.
 */
export function mayBringBack(all: readonly JudgedContent[]): boolean {
  return all.some(
    ({ applied, isReplaced }) =>
      isReplaced === true && applied?.type === "present" && (applied.earlier?.length ?? 0) > 1,
  );
}

function areReturnedJudged({ mayHaveReturned, pods }: PlanContext): boolean {
  return mayHaveReturned && pods !== undefined;
}

interface JudgedContent {
  readonly applied: AppliedSource | undefined;
  readonly reason: WhyRoll["reason"];
  /** Pods from before may run with another content. */
  readonly isReplaced?: boolean;
}
