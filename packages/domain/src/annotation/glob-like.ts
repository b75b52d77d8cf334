/**
 * Matches a name with a `*` as a shell writes it: `feature-*`. We and the peer read it as an RE2 pattern, where the star repeats the character
 * before it. So `feature-x` does not match. A text with classes, groups, dots before a star or escapes is meant as a pattern.
 */
const globLike = /^(?:[a-z0-9-]|\.(?!\*)|\*(?![*+?]))+$/;

/** Whether the item of a named-source annotation reads like a glob and not like a pattern. */
export function isGlobLike(item: string): boolean {
  return item.includes("*") && globLike.test(item);
}

/** The pattern that matches what the glob means: a dot matches a dot, a star matches any text. */
export function patternOfGlob(glob: string): string {
  return glob.replaceAll(".", String.raw`\.`).replaceAll("*", ".*");
}
