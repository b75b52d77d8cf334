/**
 * A name with a `*` as a shell writes it: `feature-*`. As the RE2 pattern it is here, and in the peer, the star repeats the
 * character before it, so that `feature-x` does not match. Classes, groups, dots before a star and escapes are what only
 * people write who mean a pattern.
 */
const globLike = /^(?:[a-z0-9-]|\.(?!\*)|\*(?![*+?]))+$/;

/** Whether the item of a named-source annotation reads like a glob and not like a pattern. */
export function isGlobLike(item: string): boolean {
  return item.includes("*") && globLike.test(item);
}

/** The pattern that matches what the glob would: dots stand for themselves, a star for any text. */
export function patternOfGlob(glob: string): string {
  return glob.replaceAll(".", String.raw`\.`).replaceAll("*", ".*");
}
