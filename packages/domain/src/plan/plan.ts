import { utf8 } from "../bytes.ts";
import type { Carried, CarriedSource, CarriedTemplate } from "../carried/carried.ts";
import { compatDeletedMarker } from "../compat/hash.ts";
import type { Keyring } from "../keyring.ts";
import { combineMarks, type Mark, markOf } from "../mark.ts";
import type { PodTemplate } from "../pod-template.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import type { ChangedSource } from "../strategy/edit.ts";
import { templateIdentity } from "../template-identity.ts";
import type { Annotations } from "../workload.ts";
import { peerBaseline } from "./peer-baseline.ts";
import type { RollReason } from "./reasons.ts";
import { keysThatMatter, type LiveContent, localName, type Sight } from "./sight.ts";

/** Whether sources that come and go are changes. Without either, only a late optional reference is. */
export interface AppearanceRules {
  /** A source that was noted as missing and is there now is a change. */
  readonly reloadOnCreate: boolean;
  /** A source that was noted as present and is gone now is a change. */
  readonly reloadOnDelete: boolean;
}

/** Everything a plan depends on. No clock: times come from the API server's objects. */
export interface PlanInput {
  readonly workload: {
    /** The pod template as it is, and as it was parsed. */
    readonly template: unknown;
    readonly parsed: PodTemplate;
    readonly templateAnnotations: Annotations;
    readonly templateChangedAtSeconds: number;
  };
  /** What the note on the workload says; undefined at first sight. */
  readonly carried: Carried | undefined;
  /** The sources the workload has opted in to. */
  readonly sights: readonly Sight[];
  /** Name patterns the workload has set, as in `Sight.patterns`: every source that matches one is among the sights. */
  readonly patterns: readonly string[];
  readonly rules: AppearanceRules;
  readonly keys: Keyring;
  /** Lower-case hexadecimal SHA-1, only to compare with what the peer left. */
  readonly sha1: (bytes: Uint8Array) => string;
  /** Since when this cluster is watched: what was made before is adopted as it is. */
  readonly engagedAtSeconds: number;
}

/** A source whose content the workload's pods do not have yet, or that is gone: its mark then is the peer's for that. */
export interface ChangedSight extends ChangedSource {
  readonly reason: RollReason;
}

/** `carried` is what the note has to say afterwards; undefined removes it (nothing is opted in to). */
export type Plan =
  | {
      readonly type: "roll";
      readonly carried: Carried;
      readonly changed: readonly ChangedSight[];
      /** Every source there is, changed or not, with its mark; and one mark for all of them. */
      readonly present: readonly ChangedSource[];
      readonly mark: Mark;
    }
  | { readonly type: "record"; readonly carried: Carried | undefined };

/**
 * API server times are whole seconds, so what is applied in one go may lie a second apart. A source made no later than
 * this after the template was applied together with it; the pods of that template read it when they start.
 */
const togetherSeconds = 1;

/**
 * Compares what the pods carry with what is live. Pure: the same world gives the same plan, so that a repeat, a duplicate
 * and a second worker plan nothing new once the first has written.
 */
export function plan(input: PlanInput): Plan {
  const patterns = input.rules.reloadOnCreate ? input.patterns : [];
  if (input.sights.length + patterns.length === 0) return { type: "record", carried: undefined };
  // Its identity costs more than all the rest of a plan, so it is looked at only where something asks about it.
  const template = needsTemplate(input) ? templateNow(input) : undefined;
  const seen = input.sights.map((sight) => ({ sight, ...look(sight, template, input) }));
  const changed = seen.flatMap(({ sight, reason, mark }) =>
    reason === undefined || mark === undefined ? [] : [{ source: sight.ref, mode: sight.mode, mark, reason }],
  );
  const isRolled = changed.length > 0;
  const carried: Carried = {
    keyId: input.keys.current.keyId,
    sources: new Map(
      seen.flatMap(({ sight, carries }) =>
        carries === undefined ? [] : [[localName(sight.ref), carries] as const],
      ),
    ),
    template: template && {
      digest: template.digest,
      togetherUntilSeconds: isRolled ? 0 : template.togetherUntilSeconds,
    },
    patterns,
  };
  if (!isRolled) return { type: "record", carried };
  const present = seen.flatMap(({ sight, mark, reason }) =>
    mark === undefined || reason === "SourceDeleted" ? [] : [{ source: sight.ref, mode: sight.mode, mark }],
  );
  return { type: "roll", carried, changed, present, mark: combineMarks(present, input.keys.current) };
}

interface Look {
  /** What the note has to say of the source from now on; undefined: nothing. */
  readonly carries: CarriedSource | undefined;
  /** Mark of the live content, or that of a source that is gone; undefined when it has none to write. */
  readonly mark: string | undefined;
  /** Why the workload has to roll for it; undefined when it has not. */
  readonly reason: RollReason | undefined;
}

function look(sight: Sight, template: TemplateNow | undefined, input: PlanInput): Look {
  const noted = input.carried?.sources.get(localName(sight.ref));
  const before = noted ?? absentByPattern(sight, input.carried);
  const { live } = sight;
  if (live === undefined) return lookAtGone(sight, before, template, input);
  if (live === "unseen" || isPast(live, before))
    return { carries: noted, mark: undefined, reason: undefined };
  const keys = keysThatMatter(sight);
  const mark = markOf(sight.ref, live.content, keys, input.keys.current);
  const { keyId } = input.keys.current;
  const now = { digest: digestOf(mark), keyId, keys };
  const isSame = before?.type === "present" && isSameContent({ sight, live, now }, before, input);
  const asOf = (isSame ? before : live).asOfSeconds;
  const carries: CarriedSource = {
    ...{ type: "present", ...now },
    ...(asOf === undefined ? {} : { asOfSeconds: asOf }),
  };
  if (before?.type === "present") return { carries, mark, reason: isSame ? undefined : "SourceChanged" };
  return { carries, mark, reason: reasonToRoll(sight, live, before, template, input) };
}

/** A name pattern that was looked up, and did not lead to it: it was not there. */
function absentByPattern(sight: Sight, carried: Carried | undefined): CarriedSource | undefined {
  const isLookedUp = sight.patterns.some((pattern) => carried?.patterns.includes(pattern));
  return isLookedUp ? { type: "absent" } : undefined;
}

/** What shows a content that is older than the noted one is about to go, or to follow: it is no change back. */
function isPast(live: LiveContent, before: CarriedSource | undefined): boolean {
  if (before?.type !== "present" || before.asOfSeconds === undefined) return false;
  return live.asOfSeconds !== undefined && live.asOfSeconds < before.asOfSeconds;
}

function lookAtGone(
  sight: Sight,
  before: CarriedSource | undefined,
  template: TemplateNow | undefined,
  { rules, sha1 }: PlanInput,
): Look {
  const isDeleted = rules.reloadOnDelete && before?.type === "present";
  const after = isDeleted ? ({ type: "absent" } as const) : absentNow(sight, before, template);
  return {
    // Every name that ever matched a pattern would be too many: that the pattern is noted says the same.
    carries: sight.patterns.length > 0 && after.type === "absent" ? undefined : after,
    mark: isDeleted ? sha1(utf8(compatDeletedMarker)) : undefined,
    reason: isDeleted ? "SourceDeleted" : undefined,
  };
}

/**
 * A source that is gone leaves its last content in the note, so that coming back with the same content is no change; not
 * so when the template was made anew meanwhile: those pods started without it.
 */
function absentNow(
  sight: Sight,
  before: CarriedSource | undefined,
  template: TemplateNow | undefined,
): CarriedSource {
  const startedWithout = sight.reference?.optional === true && template?.isSame === false;
  return before?.type === "present" && !startedWithout ? before : { type: "absent" };
}

/** Why a source has to roll the workload that was not noted as present. */
function reasonToRoll(
  sight: Sight,
  live: LiveContent,
  before: CarriedSource | undefined,
  template: TemplateNow | undefined,
  input: PlanInput,
): RollReason | undefined {
  const { carried, rules, workload, engagedAtSeconds } = input;
  const isLate = template !== undefined && live.createdAtSeconds > togetherUntil(before, template, input);
  const wasAbsent = before?.type === "absent";
  const isOptional = sight.reference?.optional === true;
  // Seen absent with our own eyes, or the whole life of this template lies after we came.
  if (isLate && isOptional && (wasAbsent || workload.templateChangedAtSeconds >= engagedAtSeconds))
    return "LateOptionalReference";
  if (isLate && rules.reloadOnCreate && wasAbsent) return "SourceCreated";
  if (before !== undefined || carried !== undefined) return undefined;
  const traces = {
    template: workload.parsed,
    templateAnnotations: workload.templateAnnotations,
    keyed: input.keys.current,
    sha1: input.sha1,
    sights: input.sights,
  };
  return peerBaseline(sight, traces) === "different" ? "ChangedBeforeAdoption" : undefined;
}

/**
 * A roll of ours looked at every source opted in to then. One that is opted in to only now may have been there all along:
 * for it, the time of the roll counts.
 */
function togetherUntil(
  before: CarriedSource | undefined,
  template: TemplateNow,
  { workload }: PlanInput,
): number {
  const isRolledByUs = template.togetherUntilSeconds === 0;
  return before === undefined && isRolledByUs
    ? workload.templateChangedAtSeconds + togetherSeconds
    : template.togetherUntilSeconds;
}

/**
 * Compared through the keys of the note, other keys matter only after an edit of the template, which rolls by itself; and
 * with the note's own digest key, so that a new key rolls nothing. A key we do not have proves nothing: adopted.
 */
function isSameContent(
  { sight, live, now }: { readonly sight: Sight; readonly live: LiveContent; readonly now: Seen },
  before: Seen,
  input: PlanInput,
): boolean {
  if (before.keyId === now.keyId && isSameKeys(before.keys, now.keys)) return before.digest === now.digest;
  const keyed = input.keys.find(before.keyId);
  if (keyed === undefined) return true;
  return digestOf(markOf(sight.ref, live.content, before.keys, keyed)) === before.digest;
}

type Seen = Pick<CarriedSource & { type: "present" }, "digest" | "keyId" | "keys">;

function isSameKeys(a: ReferencedKeys, b: ReferencedKeys): boolean {
  if (a === "all" || b === "all") return a === b;
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

interface TemplateNow extends CarriedTemplate {
  /** The template is the one the note was made for. */
  readonly isSame: boolean;
}

function templateNow(input: PlanInput): TemplateNow {
  const identity = utf8(templateIdentity(input.workload.template));
  const digest = input.keys.current.digest(identity);
  const noted = input.carried?.template;
  const notedWith = input.keys.find(input.carried?.keyId ?? "");
  if (noted !== undefined && notedWith?.digest(identity) === noted.digest) {
    return { digest, togetherUntilSeconds: noted.togetherUntilSeconds, isSame: true };
  }
  return {
    digest,
    togetherUntilSeconds: input.workload.templateChangedAtSeconds + togetherSeconds,
    isSame: noted === undefined,
  };
}

function needsTemplate({ sights, rules }: PlanInput): boolean {
  return rules.reloadOnCreate || sights.some((sight) => sight.reference?.optional === true);
}

function digestOf(mark: Mark): string {
  return mark.slice(mark.lastIndexOf(":") + 1);
}
