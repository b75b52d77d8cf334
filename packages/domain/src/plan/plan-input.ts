import { markAnnotation } from "../annotation/own-keys.ts";
import type { AppliedState, AppliedTemplate, Served } from "../applied/applied-state.ts";
import { type TemplateReturn, templateReturn } from "../applied/template-return.ts";
import { utf8 } from "../bytes.ts";
import type { RunningPods } from "../evidence/pods-start.ts";
import type { InterestHistory } from "../evidence/start.ts";
import { isJsonObject } from "../json.ts";
import { madeOnce } from "../made-once.ts";
import type { Keyring } from "../source/keyring.ts";
import { combineMarks, type KeyedDigest, markOf } from "../source/mark.ts";
import type { PodTemplate } from "../workload/pod-template.ts";
import { templateIdentity } from "../workload/template-identity.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";
import { keysThatMatter, type ObservedSource } from "./observed-source.ts";

/** Whether the creation and deletion of sources are changes. Without either rule, only a late optional reference is. */
export interface AppearanceRules {
  /** A source that was recorded as missing and exists now is a change. */
  readonly reloadOnCreate: boolean;
  /** A source that was recorded as present and is gone now is a change. */
  readonly reloadOnDelete: boolean;
}

/** Everything a plan depends on. It contains no clock: times come from the API server's objects. */
export interface PlanInput {
  readonly workload: {
    readonly uid: string | undefined;
    /** The pod template as it is, and as it was parsed. */
    readonly template: unknown;
    readonly parsed: PodTemplate;
    readonly templateAnnotations: Annotations;
    readonly templateChangedAtSeconds: number;
    /** Its controller replaces pods one after another, and keeps the pods of an earlier template when that template is written again. */
    readonly keepsPods: boolean;
    /** All existing pods run the current template. */
    readonly isRolledOut: boolean;
  };
  /** The applied state that counts (`trustedState`); undefined when there is none. */
  readonly applied: AppliedState | undefined;
  /** The applied state on the workload is not the trusted one, or not verified. Traces on the template count too. */
  readonly isDamaged: boolean;
  /** The state of a roll whose write may have landed or not. If the live content differs from it, the pods may miss that content too. */
  readonly unverified?: AppliedState | undefined;
  /** When the applied state that counts was written, in whole seconds of the API server's clock. Undefined: no later than our last write. */
  readonly appliedAtSeconds?: number | undefined;
  /** The sources the workload has opted in to. */
  readonly observedSources: readonly ObservedSource[];
  /** Sources that only their own annotations exclude. They roll nothing, but the content that the pods run with stays recorded. */
  readonly setAside: readonly ObservedSource[];
  /** Name patterns in the workload's annotations, as in `ObservedSource.patterns`. Every source that matches one is among `observedSources`. */
  readonly patterns: readonly string[];
  readonly rules: AppearanceRules;
  readonly keys: Keyring;
  /** Lower-case hexadecimal SHA-1, only to compare with what the peer left. */
  readonly sha1: (bytes: Uint8Array) => string;
  /** What is known of when the workload began to use or opt in to its sources. */
  readonly history: InterestHistory;
  /** When its pods started; undefined when that is not known (yet). */
  readonly pods: RunningPods | undefined;
  /** The second since which its sources contained something else than is recorded, while the roll for that was held. Undefined: none was. */
  readonly heldSinceSeconds?: number | undefined;
  /** Since when workloads like it are served. Goes into the applied state. */
  readonly served: Served | undefined;
}

/** The input of a plan, and what follows from it for all sources together. */
export interface PlanContext extends PlanInput, TemplateReturn {
  readonly template: TemplateNow;
  /** The template has the mark of the live content: its pods were made for that content. */
  readonly isMarkCurrent: boolean;
}

export function planContextOf(input: PlanInput): PlanContext {
  return {
    ...input,
    template: templateNow(input),
    isMarkCurrent: hasCurrentMark(input),
    ...returnOf(input),
  };
}

const noReturn: TemplateReturn = { isEditedSince: false, mayHaveReturned: false };

function returnOf({ applied, history, workload }: PlanInput): TemplateReturn {
  const template = applied?.template;
  if (template === undefined || !workload.keepsPods || !hasEarlierContent(applied)) return noReturn;
  const { object, templatePath } = history;
  return templateReturn(template, { object, templatePath, isRolledOut: workload.isRolledOut });
}

function hasEarlierContent(applied: AppliedState | undefined): boolean {
  for (const source of applied?.sources.values() ?? [])
    if (source.type === "present" && source.earlier !== undefined) return true;
  return false;
}

/**
 * API server times are whole seconds, so things that are applied at once may be a second apart. A source made at most this long after the
 * template counts as applied together with it: the pods of that template read it when they start.
 */
export const togetherSeconds = 1;

/** Checked only if no applied state can be trusted: after a rollback a template has an old mark, but its pods read what was there at their start. */
function hasCurrentMark({ workload, observedSources, keys, applied, isDamaged }: PlanInput): boolean {
  const mark = annotationValue(workload.templateAnnotations, markAnnotation);
  if (mark === undefined || (applied !== undefined && !isDamaged)) return false;
  const present = observedSources.flatMap((observed) => {
    const { live, ref } = observed;
    if (live === undefined || live === "unseen") return [];
    return [{ source: ref, mark: markOf(ref, live.content, keysThatMatter(observed), keys.current) }];
  });
  return mark === combineMarks(present, keys.current);
}

export interface TemplateNow extends AppliedTemplate {
  /** The template is the one the applied state was made for. */
  readonly isSame: boolean;
}

function templateNow(input: PlanInput): TemplateNow {
  const { template } = input.workload;
  const { current } = input.keys;
  const digest = templateDigest(template, current);
  const appliedTemplate = input.applied?.template;
  const appliedKey = input.keys.find(input.applied?.keyId ?? "");
  const asApplied = appliedKey && templateDigest(template, appliedKey);
  if (appliedTemplate !== undefined && asApplied === appliedTemplate.digest) {
    return { digest, togetherUntilSeconds: appliedTemplate.togetherUntilSeconds, isSame: true };
  }
  return {
    digest,
    togetherUntilSeconds: input.workload.templateChangedAtSeconds + togetherSeconds,
    isSame: appliedTemplate === undefined,
  };
}

/** Digests by the id of their key. Up to three plans are made of one reading of a workload, and a template has some KiB. */
const templateDigests = madeOnce((_template: object) => new Map<string, string>());

function templateDigest(template: unknown, keyed: KeyedDigest): string {
  const made = isJsonObject(template) ? templateDigests(template) : new Map<string, string>();
  const digest = made.get(keyed.keyId) ?? keyed.digest(utf8(templateIdentity(template)));
  made.set(keyed.keyId, digest);
  return digest;
}
