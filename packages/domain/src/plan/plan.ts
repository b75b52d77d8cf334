import { utf8 } from "../bytes.ts";
import type { Carried } from "../carried/carried.ts";
import type { CarriedSource } from "../carried/carried-source.ts";
import { isSameDigest } from "../carried/packed-sources.ts";
import { compatDeletedMarker } from "../compat/hash.ts";
import { coversKeys, type ReferencedKeys } from "../reference/object-use.ts";
import { combineMarks, type Mark, markOf } from "../source/mark.ts";
import type { ChangedSource } from "../strategy/edit.ts";
import { contextOf, type PlanContext, type PlanInput, type TemplateNow } from "./plan-input.ts";
import type { RollReason } from "./reasons.ts";
import { keysThatMatter, type LiveContent, localName, type Sight } from "./sight.ts";
import { type WhyRoll, whyRoll, whyWider } from "./why-roll.ts";

/** A source whose content the workload's pods do not have yet, or that is gone: its mark then is the peer's for that. */
export interface ChangedSight extends ChangedSource {
  readonly reason: RollReason;
}

/**
 * `carried` is what the note has to say afterwards; undefined removes it (nothing is opted in to). `hingesOnPods`: it may turn out
 * differently once it is known when the pods started.
 */
export type Plan =
  | {
      readonly type: "roll";
      readonly carried: Carried;
      readonly changed: readonly ChangedSight[];
      /** Every source there is, changed or not, with its mark; and one mark for all of them. */
      readonly present: readonly ChangedSource[];
      readonly mark: Mark;
      readonly hingesOnPods: boolean;
    }
  | { readonly type: "record"; readonly carried: Carried | undefined; readonly hingesOnPods: boolean };

/**
 * Compares what the pods carry with what is live. Pure: the same world gives the same plan, so that a repeat, a duplicate
 * and a second worker plan nothing new once the first has written.
 */
export function plan(input: PlanInput): Plan {
  const patterns = input.rules.reloadOnCreate ? input.patterns : [];
  if (input.sights.length + patterns.length === 0)
    return { type: "record", carried: undefined, hingesOnPods: false };
  const context = contextOf(input);
  const seen = input.sights.map((sight) => ({ sight, ...look(sight, context) }));
  const changed = seen.flatMap(({ sight, reason, mark }) =>
    reason === undefined || mark === undefined ? [] : [{ source: sight.ref, mode: sight.mode, mark, reason }],
  );
  const isRolled = changed.length > 0;
  // A pattern led to a source that is gone by now, and of which nothing is noted.
  if (!isRolled && patterns.length === 0 && seen.every(({ carries }) => carries === undefined))
    return { type: "record", carried: undefined, hingesOnPods: false };
  const { digest, togetherUntilSeconds } = context.template;
  const carried: Carried = {
    keyId: input.keys.current.keyId,
    uid: input.workload.uid,
    count: input.carried?.count ?? 0,
    // A roll that is repeated, by whoever and under whatever settings, has the same note.
    served: (isRolled ? input.carried?.served : undefined) ?? input.served ?? input.carried?.served,
    sources: new Map(
      seen.flatMap(({ sight, carries }) =>
        carries === undefined ? [] : [[localName(sight.ref), carries] as const],
      ),
    ),
    template: { digest, togetherUntilSeconds: isRolled ? 0 : togetherUntilSeconds },
    patterns,
  };
  const hingesOnPods = input.podsStart === undefined && seen.some(({ pods }) => pods !== undefined);
  if (!isRolled) return { type: "record", carried, hingesOnPods };
  const present = seen.flatMap(({ sight, mark, reason }) =>
    mark === undefined || reason === "SourceDeleted" ? [] : [{ source: sight.ref, mode: sight.mode, mark }],
  );
  return {
    ...{ type: "roll", carried, changed, present },
    mark: combineMarks(present, input.keys.current),
    hingesOnPods,
  };
}

interface Look extends WhyRoll {
  /** What the note has to say of the source from now on; undefined: nothing. */
  readonly carries: CarriedSource | undefined;
  /** Mark of the live content, or that of a source that is gone; undefined when it has none to write. */
  readonly mark: string | undefined;
}

function look(sight: Sight, input: PlanContext): Look {
  const noted = input.carried?.sources.get(localName(sight.ref));
  const before = comparable(noted, input) ?? absentByPattern(sight, input.carried);
  const { live } = sight;
  if (live === undefined) return lookAtGone(sight, before, input);
  if (live === "unseen" || isPast(live, before))
    return { carries: noted ?? neverShown(sight), mark: undefined, reason: undefined };
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
  if (!isSame) return { carries, mark, ...whyRoll(sight, live, before, input) };
  // Of keys that are read only now the note says nothing.
  const isWider = before.type === "present" && !coversKeys(before.keys, keys);
  return { carries, mark, ...(isWider ? whyWider(live, input) : { reason: undefined }) };
}

/** Of a class whose content nothing has shown yet: what its pods show first is what they started with. */
function neverShown({ ref }: Sight): CarriedSource | undefined {
  return ref.kind === "SecretProviderClass" ? { type: "absent" } : undefined;
}

/** What was digested with a key that we do not have says nothing. */
function comparable(noted: CarriedSource | undefined, { keys }: PlanInput): CarriedSource | undefined {
  return noted?.type === "present" && keys.find(noted.keyId) === undefined ? undefined : noted;
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
  { rules, sha1, template }: PlanContext,
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
function absentNow(sight: Sight, before: CarriedSource | undefined, template: TemplateNow): CarriedSource {
  const startedWithout = sight.reference?.optional === true && !template.isSame;
  return before?.type === "present" && !startedWithout ? before : { type: "absent" };
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
  if (before.keyId === now.keyId && isSameKeys(before.keys, now.keys))
    return isSameDigest(before.digest, now.digest);
  const keyed = input.keys.find(before.keyId);
  if (keyed === undefined) return true;
  return isSameDigest(before.digest, digestOf(markOf(sight.ref, live.content, before.keys, keyed)));
}

type Seen = Pick<CarriedSource & { type: "present" }, "digest" | "keyId" | "keys">;

function isSameKeys(a: ReferencedKeys, b: ReferencedKeys): boolean {
  if (a === "all" || b === "all") return a === b;
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

function digestOf(mark: Mark): string {
  return mark.slice(mark.lastIndexOf(":") + 1);
}
