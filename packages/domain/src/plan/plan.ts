import { utf8 } from "../bytes.ts";
import type { Carried, CarriedSource, CarriedTemplate } from "../carried/carried.ts";
import type { Keyring } from "../keyring.ts";
import { combineMarks, type Mark, markOf } from "../mark.ts";
import type { PodTemplate } from "../pod-template.ts";
import type { ChangedSource } from "../strategy/edit.ts";
import { templateIdentity } from "../template-identity.ts";
import type { Annotations } from "../workload.ts";
import { peerBaseline } from "./peer-baseline.ts";
import type { RollReason } from "./reasons.ts";
import { keysThatMatter, localName, type Sight } from "./sight.ts";

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
  readonly keys: Keyring;
  /** Lower-case hexadecimal SHA-1, only to compare with what the peer left. */
  readonly sha1: (bytes: Uint8Array) => string;
  /** Since when this cluster is watched: what was made before is adopted as it is. */
  readonly engagedAtSeconds: number;
}

/** A source whose content the workload's pods do not have yet. */
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
  if (input.sights.length === 0) return { type: "record", carried: undefined };
  const template = templateNow(input);
  const seen = input.sights.map((sight) => ({ sight, ...look(sight, template, input) }));
  const changed = seen.flatMap(({ sight, reason, mark }) =>
    reason === undefined || mark === undefined ? [] : [{ source: sight.ref, mode: sight.mode, mark, reason }],
  );
  const isRolled = changed.length > 0;
  const carried: Carried = {
    keyId: input.keys.current.keyId,
    sources: new Map(seen.map(({ sight, carries }) => [localName(sight.ref), carries])),
    template: needsTemplate(input.sights)
      ? { digest: template.digest, togetherUntilSeconds: isRolled ? 0 : template.togetherUntilSeconds }
      : undefined,
  };
  if (!isRolled) return { type: "record", carried };
  const present = seen.flatMap(({ sight, mark }) =>
    mark === undefined ? [] : [{ source: sight.ref, mode: sight.mode, mark }],
  );
  return { type: "roll", carried, changed, present, mark: combineMarks(present, input.keys.current) };
}

interface Look {
  /** What the note has to say of the source from now on. */
  readonly carries: CarriedSource;
  /** Mark of the live content; undefined when there is none. */
  readonly mark: Mark | undefined;
  /** Why the workload has to roll for it; undefined when it has not. */
  readonly reason: RollReason | undefined;
}

function look(sight: Sight, template: TemplateNow, input: PlanInput): Look {
  const before = input.carried?.sources.get(localName(sight.ref));
  const keys = keysThatMatter(sight);
  if (sight.live === undefined)
    return { carries: absentNow(sight, before, template), mark: undefined, reason: undefined };
  const mark = markOf(sight.ref, sight.live.content, keys, input.keys.current);
  const { keyId } = input.keys.current;
  const carries: CarriedSource = { type: "present", digest: digestOf(mark), keyId, keys };
  return { carries, mark, reason: reasonToRoll(sight, before, template, input) };
}

/**
 * A source that is gone leaves its last content in the note, so that coming back with the same content is no change; not
 * so when the template was made anew meanwhile: those pods started without it.
 */
function absentNow(sight: Sight, before: CarriedSource | undefined, template: TemplateNow): CarriedSource {
  const startedWithout = sight.reference?.optional === true && !template.isSame;
  return before?.type === "present" && !startedWithout ? before : { type: "absent" };
}

function reasonToRoll(
  sight: Sight,
  before: CarriedSource | undefined,
  template: TemplateNow,
  input: PlanInput,
): RollReason | undefined {
  if (before?.type === "present") return isSameContent(sight, before, input) ? undefined : "SourceChanged";
  const isLate =
    sight.reference?.optional === true &&
    sight.live !== undefined &&
    sight.live.createdAtSeconds > togetherUntil(before, template, input);
  // Seen absent with our own eyes, or the whole life of this template lies after we came.
  if (
    isLate &&
    (before?.type === "absent" || input.workload.templateChangedAtSeconds >= input.engagedAtSeconds)
  )
    return "LateOptionalReference";
  if (before !== undefined || input.carried !== undefined) return undefined;
  const { parsed, templateAnnotations } = input.workload;
  const traces = {
    template: parsed,
    templateAnnotations,
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
function isSameContent(sight: Sight, before: CarriedSource & { type: "present" }, input: PlanInput): boolean {
  const keyed = input.keys.find(before.keyId);
  if (sight.live === undefined || keyed === undefined) return true;
  return digestOf(markOf(sight.ref, sight.live.content, before.keys, keyed)) === before.digest;
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

function needsTemplate(sights: readonly Sight[]): boolean {
  return sights.some((sight) => sight.reference?.optional === true);
}

function digestOf(mark: Mark): string {
  return mark.slice(mark.lastIndexOf(":") + 1);
}
