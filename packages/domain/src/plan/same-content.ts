import type { AppliedSource } from "../applied/applied-source.ts";
import { isSameDigest } from "../applied/packed-sources.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import { type Mark, markOf } from "../source/mark.ts";
import type { LiveContent, ObservedSource } from "./observed-source.ts";
import type { PlanInput } from "./plan-input.ts";

/** A source and its live content. */
export interface DigestedSource {
  readonly observed: ObservedSource;
  readonly live: LiveContent;
  readonly now: ContentDigest;
}

/**
 * Compares through the keys in the applied state: other keys matter only after an edit of the template, which rolls by itself. Compares with the
 * digest key of the applied state, so that a new digest key rolls nothing. A digest made with a key we do not have proves nothing: the source is
 * adopted.
 */
export function isSameContent(
  { observed, live, now }: DigestedSource,
  before: ContentDigest,
  input: PlanInput,
): boolean {
  if (before.keyId === now.keyId && isSameKeys(before.keys, now.keys))
    return isSameDigest(before.digest, now.digest);
  const keyed = input.keys.find(before.keyId);
  if (keyed === undefined) return true;
  return isSameDigest(before.digest, digestOf(markOf(observed.ref, live.content, before.keys, keyed)));
}

/** The digest of a content, seen through these keys. */
export type ContentDigest = Pick<AppliedSource & { type: "present" }, "digest" | "keyId" | "keys">;

function isSameKeys(a: ReferencedKeys, b: ReferencedKeys): boolean {
  if (a === "all" || b === "all") return a === b;
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

export function digestOf(mark: Mark): string {
  return mark.slice(mark.lastIndexOf(":") + 1);
}
