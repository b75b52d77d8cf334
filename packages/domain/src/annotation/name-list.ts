/**
 * Compiles one RE2 pattern that runs in linear time, or says why it cannot. Handed in: the domain has no engine. The cost is what it takes at
 * most to compile the pattern or to match one name, in microseconds or so. For one that is invalid it is what it takes to find that out.
 */
export type CompilePattern = (
  source: string,
) => { readonly cost: number } & ({ matches(text: string): boolean } | { readonly invalid: string });

/** A named-source annotation, ready to be asked about names. */
export interface NameList {
  /** Items that can only match the very name they are. The index looks these up. */
  readonly exact: readonly string[];
  readonly patterns: readonly { readonly text: string; readonly matches: (name: string) => boolean }[];
  /** The items that were left out, as written, and why. */
  readonly invalid: readonly { readonly item: string; readonly why: string }[];
}

/** An annotation is at most 256 KiB, which is 5,000 names of ordinary length. */
const itemsMax = 5_000;

/** Four times the longest name Kubernetes allows (253): room for a pattern with alternatives. */
const itemLengthMax = 1_024;

/**
 * What all patterns of one workload may cost together: some 8 ms for each name of the namespace. There is room for 300 of the usual length, or
 * for eight of the costliest.
 */
const patternsCostMax = 8_192;

/** How much of an item is quoted when it is refused. */
const quotedLengthMax = 64;

/** Compiles the patterns of one workload, in all its lists, until they cost too much together. */
export class PatternBudget {
  readonly #compile: CompilePattern;
  #left = patternsCostMax;

  constructor(compile: CompilePattern) {
    this.#compile = compile;
  }

  /** Undefined: the pattern, or one before it, costs too much. */
  compile(source: string): ReturnType<CompilePattern> | undefined {
    if (this.#left < 0) return undefined;
    const pattern = this.#compile(source);
    this.#left -= pattern.cost;
    return this.#left < 0 ? undefined : pattern;
  }
}

/**
 * Reads a list of names and patterns as the peer does: split on every comma, even inside `{1,2}`, then trimmed, then
 * each item compiled between `^` and `$` without a group, so that `a|b` means "begins with a, or ends with b". An
 * empty item could only match an empty name and is dropped; an item that does not compile is left out, not the list.
 */
export function parseNameList(text: string, budget: PatternBudget): NameList {
  if (text === "") return emptyList;
  const items = splitNames(text);
  const exact: string[] = [];
  const patterns: { text: string; matches: (name: string) => boolean }[] = [];
  const invalid: { item: string; why: string }[] = [];
  let isSpent = false;
  for (const item of items.slice(0, itemsMax)) {
    if (item.length > itemLengthMax) {
      invalid.push({ item: quote(item), why: `longer than ${itemLengthMax} characters` });
    } else if (/^[a-z0-9-]+$/.test(item)) {
      exact.push(item);
    } else if (!isSpent) {
      const pattern = budget.compile(`^${item}$`);
      isSpent = pattern === undefined;
      if (pattern === undefined) invalid.push({ item: quote(item), why: tooCostly });
      else if ("invalid" in pattern) invalid.push({ item: quote(item), why: pattern.invalid });
      else patterns.push({ text: item, matches: (name) => pattern.matches(name) });
    }
  }
  const [refused] = items.slice(itemsMax);
  if (refused !== undefined) {
    invalid.push({ item: quote(refused), why: `only the first ${itemsMax} items are read` });
  }
  return { exact, patterns, invalid };
}

const emptyList: NameList = { exact: [], patterns: [], invalid: [] };

const tooCostly =
  "too costly to match together with the other patterns of the workload, and all patterns after it are left out, too: fewer patterns are needed, or names in full";

/** The items of a comma-separated list, trimmed, without the empty ones. */
export function splitNames(text: string): readonly string[] {
  if (text === "") return [];
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Whether any item of the list matches the name. */
export function namesSource(list: NameList, name: string): boolean {
  return list.exact.includes(name) || list.patterns.some(({ matches }) => matches(name));
}

function quote(item: string): string {
  return item.length > quotedLengthMax ? `${item.slice(0, quotedLengthMax)}…` : item;
}
