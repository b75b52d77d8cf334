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
  /** Why the workload has to roll for a source; undefined when it does not have to. */
  readonly reason: RollReason | undefined;
  /**
   * How the start of the pods would change the reason.
   *
   * - `unless-later`: the reason goes away if all pods started after the content was written.
   * - `if-earlier`: there is a reason if a pod started before the source was made, with a deleted source of the same name.
   * - `if-returned`: there is a reason if a pod has stayed from an earlier content.
   * - `if-gone`: there is no reason, but the applied state records the start of the last pod from before the source was found gone.
   * - `if-missed`: there is a reason if a pod started while the source was gone.
   * - `if-running`: there is a reason if a pod had most likely started when the source was made, and creation counts.
   */
  readonly pods?: "unless-later" | "if-earlier" | "if-returned" | "if-gone" | "if-missed" | "if-running";
}

/** Why the source rolls the workload, if it does, and whether the start of the pods can change that. */
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

/** The content is the applied one, but its pods read more keys of it now. */
export function whyWider(
  { observed, live }: { readonly observed: ObservedSource; readonly live: LiveContent },
  input: PlanContext,
): WhyRoll {
  if (!live.isModified) return { reason: undefined };
  if (input.isDamaged && ownVerdict(observed, input) === "same") return { reason: undefined };
  const why = changedSince(startOfInterest(input.history), live);
  return judgedByPods(why, live, input);
}

/** Applies the start of the pods to a reason. Within the same second nobody knows which came first. */
function judgedByPods(why: WhyRoll, live: LiveContent, input: PlanContext): WhyRoll {
  const podsStart = input.pods?.newest;
  if (podsStart === undefined) return why;
  const { notBefore, notAfter } = podsStart;
  // A pod shows that the content changed after it started. No other pod disproves that.
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
 * Whether content and template were applied at once: the template not before the content, as far as seconds tell, and the pods made since. Then
 * the clocks of the nodes are taken as they are.
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
 * The content differs from the applied one. If the template is another one, its pods were made since, perhaps after the change. A write time
 * before the applied state is not the time of the change: keys were only removed, which leaves no time.
 */
function whyChanged(observed: ObservedSource, live: LiveContent, input: PlanContext): WhyRoll {
  if (input.isDamaged && ownVerdict(observed, input) === "same") return { reason: undefined };
  // Every pod shows the content that it started with, and they show the same. Pods with the applied content are gone.
  if (live.asOfSeconds !== undefined && !live.isModified) return { reason: undefined };
  const isTimeTold = live.writtenAtSeconds >= appliedAt(input);
  // A tool that removes our applied state often removes our mark from the template, too. That makes new pods of the same template.
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
  // A tool that removes our applied state often makes new pods of the same template, too. A source that is opted in to only now may be old.
  const isOpen = input.isDamaged || before === undefined;
  const pods = isOpen ? ({ pods: "unless-later" } as const) : {};
  const wasAbsent = before?.type === "absent";
  const isOptional = observed.reference?.optional === true;
  // We saw that it was absent, or it was made since we came. What existed before that is no change.
  if (isOptional && (wasAbsent || live.createdAtSeconds > history.servedSinceSeconds))
    return { reason: "LateOptionalReference", ...pods };
  // A class exists before a pod first shows it.
  const isMade = live.asOfSeconds === undefined;
  return isMade && rules.reloadOnCreate && wasAbsent ? { reason: "SourceCreated", ...pods } : undefined;
}

/** Why a source without a recorded content has to roll. The peer's traces decide first, then the times. */
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
 * The time from which a change counts for a source without a comparable content in the applied state. If the state names the source, we lack the
 * key of its digest. Its pods had the content that was live when the applied state was written, so later writes to the workload do not matter.
 */
function interestStartOf(observed: ObservedSource, input: PlanContext): Start {
  const { applied, history } = input;
  if (applied === undefined) return startWithoutState(history);
  if (!applied.sources.has(localName(observed.ref))) return startOfInterest(history);
  const atSeconds = appliedAt(input);
  return atSeconds === 0 ? startWithoutState(history) : { atSeconds };
}

/** The latest time at which the trusted applied state was written; 0 if unknown. */
export function appliedAt({ appliedAtSeconds, history }: PlanContext): number {
  return appliedAtSeconds ?? writtenBy(fieldManager, history.object);
}

/**
 * The content was not written again after the source was made. No pod starts without a required source, so all pods have read it, except those
 * that read a deleted source of the same name. Pods start without any other source. If creation counts, pods that ran when it was made have
 * missed it, however soon that was after their template.
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
  // The pods show a content that was made when they started, so no clock is needed to know that it is another one by now.
  const isOfPods = live.asOfSeconds !== undefined && live.asOfSeconds === start.atSeconds;
  return isOfPods || mayPrecede(start, live) ? changedAfterStart : { reason: undefined };
}

/** What the template itself says about the content that its pods were made for. */
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
 * A roll of ours reads every source that is opted in to at that time. A source that is opted in to only now may have existed all along, so the
 * time of the roll counts for it.
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
