const boolSpellings: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** Go's `strconv.ParseBool`: its twelve spellings and nothing else, not even with a space around. */
export function parseGoBool(text: string): boolean | undefined {
  return boolSpellings.get(text);
}
