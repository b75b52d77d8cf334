import type { AppliedSource } from "../applied/applied-source.ts";
import { writtenBy } from "../evidence/managed-fields.ts";
import { likelyStart, type PodsStart } from "../evidence/pods-start.ts";
import { mayPrecede, type Start, startOfInterest, startWithoutState } from "../evidence/start.ts";
import { fieldManager } from "../field-manager.ts";
import { type LiveContent, localName, type ObservedSource } from "./observed-source.ts";
import { peerBaseline } from "./peer-baseline.ts";
import { type PlanContext, type TemplateNow, togetherSeconds } from "./plan-input.ts";
import type { RollReason } from "./reasons.ts";

export interface WhyRoll {
  /** Why the workload has to roll for a source; undefined when it has not. */
  readonly reason: RollReason | undefined;
  /**
   * What the start of the pods would change. `unless-later`: the reason falls away if all of them started after the content was written.
   * `if-earlier`: there is one if one of them started before the source was made, with a source of its name that is gone.
   * `if-returned`: there is one if one of them has stayed from an earlier content.
   * `if-gone`: there is none, but it is noted when the last one started before a source that is gone was found so.
   * `if-missed`: there is one if one of them started while the source was gone.
   * `if-running`: there is one if one of them had most likely started when the source was made, and creation counts.
   */
  readonly pods?: "unless-later" | "if-earlier" | "if-returned" | "if-gone" | "if-missed" | "if-running";
}

/** Why it rolls the workload, if it does, and whether the start of the pods can change that. */
export function whyRoll(
  observed: ObservedSource,
  live: LiveContent,
  before: AppliedSource | undefined,
  input: PlanContext,
): WhyRoll {
  const why =
    before?.type === "present"
      ? whyChanged(observed, live, input)
      : whyAppeared(observed, live, before, input);
  return judgedByPods(why, live, input);
}

/** The same content as applied, through fewer keys than its pods read now. */
export function whyWider(
  { observed, live }: { readonly observed: ObservedSource; readonly live: LiveContent },
  input: PlanContext,
): WhyRoll {
  if (!live.isModified) return { reason: undefined };
  if (input.isDamaged && ownVerdict(observed, input) === "same") return { reason: undefined };
  const why = changedSince(startOfInterest(input.history), live);
  return judgedByPods(why, live, input);
}

/** In the same second nobody knows which came first. */
function judgedByPods(why: WhyRoll, live: LiveContent, input: PlanContext): WhyRoll {
  const podsStart = input.pods?.newest;
  if (podsStart === undefined) return why;
  const { notBefore, notAfter } = podsStart;
  // A pod shows that its content changed after it started: no other pod disproves that.
  if (live.asOfSeconds !== undefined) return why;
  switch (why.pods) {
    case "unless-later":
      return notBefore > live.writtenAtSeconds || isAppliedTogether(live, podsStart, input)
        ? { reason: undefined }
        : { reason: why.reason };
    case "if-earlier":
      return notAfter < live.createdAtSeconds ? { reason: "ChangedAfterStart" } : { reason: undefined };
    case "if-running":
      return likelyStart(podsStart) <= live.createdAtSeconds
        ? { reason: "SourceCreated" }
        : { reason: undefined };
    default:
      return why;
  }
}

/**
 * Content and template were applied in one go, the template not before the content as far as seconds tell, and its pods were made since.
 * Then the clocks of their nodes decide as they are.
 */
function isAppliedTogether(
  { writtenAtSeconds }: LiveContent,
  { notBefore }: PodsStart,
  { pods, template, workload }: PlanContext,
): boolean {
  const { templateChangedAtSeconds } = workload;
  if (template.isSame || templateChangedAtSeconds < writtenAtSeconds) return false;
  return notBefore >= templateChangedAtSeconds && pods !== undefined && pods.newestByNode > writtenAtSeconds;
}

/**
 * The content differs from the applied one. Pods of another template were made since, perhaps after the change. A time before the write
 * of the applied state is not the time of the change: keys were only removed, which leaves no time.
 */
function whyChanged(observed: ObservedSource, live: LiveContent, input: PlanContext): WhyRoll {
  if (input.isDamaged && ownVerdict(observed, input) === "same") return { reason: undefined };
  const isTimeTold = live.writtenAtSeconds >= appliedAt(input);
  // A tool that removes our applied state often removes our mark from the template, too, which makes new pods of the same template.
  const areNewPods = (input.isDamaged || !input.template.isSame) && isTimeTold;
  return { reason: "SourceChanged", ...(areNewPods ? { pods: "unless-later" } : {}) };
}

/** Why a source that was not recorded as present has to roll the workload. */
function whyAppeared(
  observed: ObservedSource,
  live: LiveContent,
  before: AppliedSource | undefined,
  input: PlanContext,
): WhyRoll {
  if (input.isDamaged && ownVerdict(observed, input) === "same") return { reason: undefined };
  return whyCreated(observed, live, before, input) ?? whyUnrecorded(observed, live, before, input);
}

/** Why a source that was created later than the template has to roll; undefined where creation is no reason. */
function whyCreated(
  observed: ObservedSource,
  live: LiveContent,
  before: AppliedSource | undefined,
  input: PlanContext,
): WhyRoll | undefined {
  const { rules, template, history } = input;
  if (live.createdAtSeconds <= togetherUntil(before, template, input)) return undefined;
  // A tool that removes our applied state often makes new pods of the same template, too. What is opted in to only now may be old.
  const isOpen = input.isDamaged || before === undefined;
  const pods = isOpen ? ({ pods: "unless-later" } as const) : {};
  const wasAbsent = before?.type === "absent";
  const isOptional = observed.reference?.optional === true;
  // Seen absent with our own eyes, or made since we came: what was there then was no change.
  if (isOptional && (wasAbsent || live.createdAtSeconds > history.servedSinceSeconds))
    return { reason: "LateOptionalReference", ...pods };
  // A class is not made when a pod first shows it.
  const isMade = live.asOfSeconds === undefined;
  return isMade && rules.reloadOnCreate && wasAbsent ? { reason: "SourceCreated", ...pods } : undefined;
}

/** Why a source of whose content nothing is recorded has to roll: what the peer left tells, then the times. */
function whyUnrecorded(
  observed: ObservedSource,
  live: LiveContent,
  before: AppliedSource | undefined,
  input: PlanContext,
): WhyRoll {
  const verdict = input.applied === undefined ? ownVerdict(observed, input) : "unknown";
  if (verdict === "different") return { reason: "ChangedBeforeAdoption" };
  if (verdict === "same") return { reason: undefined };
  const start = before?.type === "absent" ? undefined : interestStartOf(observed, input);
  if (!live.isModified) return asItWasMade(observed, start, live, input);
  return start === undefined ? changedAfterStart : changedSince(start, live);
}

/**
 * From when on a change counts for a source of whose content the applied state says nothing. We lack the key
 * that a source it names was digested with. The pods had the content that was live when the applied state was written. Later writes to the
 * workload do not matter.
 */
function interestStartOf(observed: ObservedSource, input: PlanContext): Start {
  const { applied, history } = input;
  if (applied === undefined) return startWithoutState(history);
  if (!applied.sources.has(localName(observed.ref))) return startOfInterest(history);
  const atSeconds = appliedAt(input);
  return atSeconds === 0 ? startWithoutState(history) : { atSeconds };
}

/** When the applied state that counts was written, at the latest; 0 where nothing tells. */
export function appliedAt({ appliedAtSeconds, history }: PlanContext): number {
  return appliedAtSeconds ?? writtenBy(fieldManager, history.object);
}

/**
 * No pod starts without a required source: all have read it as it was made, but for those that had one of its name before. Without any
 * other they do, and where creation counts those that ran when it was made have missed it, however soon that was after their template.
 */
function asItWasMade(
  observed: ObservedSource,
  start: Start | undefined,
  live: LiveContent,
  { rules, workload }: PlanContext,
): WhyRoll {
  if (start !== undefined && live.createdAtSeconds <= start.atSeconds) return { reason: undefined };
  if (observed.reference?.optional === false) return { reason: undefined, pods: "if-earlier" };
  const isMadeAfter =
    live.asOfSeconds === undefined && live.createdAtSeconds > workload.templateChangedAtSeconds;
  return { reason: undefined, ...(rules.reloadOnCreate && isMadeAfter ? { pods: "if-running" } : {}) };
}

const changedAfterStart: WhyRoll = { reason: "ChangedAfterStart", pods: "unless-later" };

function changedSince(start: Start, live: LiveContent): WhyRoll {
  // What pods show was made when they started: that it is another one by now is known without a clock.
  const isOfPods = live.asOfSeconds !== undefined && live.asOfSeconds === start.atSeconds;
  return isOfPods || mayPrecede(start, live) ? changedAfterStart : { reason: undefined };
}

/** What the template itself says of the content its pods were made for. */
export function ownVerdict(observed: ObservedSource, input: PlanContext): ReturnType<typeof peerBaseline> {
  if (input.isMarkCurrent) return "same";
  return peerBaseline(observed, {
    template: input.workload.parsed,
    templateAnnotations: input.workload.templateAnnotations,
    keyed: input.keys.current,
    sha1: input.sha1,
    observedSources: input.observedSources,
  });
}

/**
 * A roll of ours read every source opted in to then. One that is opted in to only now may have been there all along:
 * for it, the time of the roll counts.
 */
function togetherUntil(
  before: AppliedSource | undefined,
  template: TemplateNow,
  { workload }: PlanContext,
): number {
  const isRolledByUs = template.togetherUntilSeconds === 0;
  return before === undefined && isRolledByUs
    ? workload.templateChangedAtSeconds + togetherSeconds
    : template.togetherUntilSeconds;
}
