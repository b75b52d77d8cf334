/**
 * Compiles one RE2 pattern that runs in linear time, or says why it cannot. The caller passes it in, because the domain has no regular expression
 * engine. `cost` is the maximum time to compile the pattern or to match one name, roughly in microseconds. For an invalid pattern it is the time to
 * find that out.
 */
export type CompilePattern = (
  source: string,
) => { readonly cost: number } & ({ matches(text: string): boolean } | { readonly invalid: string });

/** A parsed named-source annotation. */
export interface NameList {
  /** Items that match only the name they spell. The index looks these up. */
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
 * Maximum cost of all patterns of one workload together: about 8 ms for each name of the namespace. This is enough for 300 patterns of usual
 * length, or for eight of the most expensive ones.
 */
const patternsCostMax = 8_192;

/** Characters of a refused item that the message quotes. */
const quotedLengthMax = 64;

/** Compiles the patterns of all lists of one workload until their total cost reaches the limit. */
export class PatternBudget {
  readonly #compile: CompilePattern;
  #left = patternsCostMax;

  constructor(compile: CompilePattern) {
    this.#compile = compile;
  }

  /** Undefined when this pattern, or an earlier one, exceeds the budget. */
  compile(source: string): ReturnType<CompilePattern> | undefined {
    if (this.#left < 0) return undefined;
    const pattern = this.#compile(source);
    this.#left -= pattern.cost;
    return this.#left < 0 ? undefined : pattern;
  }
}

/**
 * Reads a list of names and patterns as the peer does: it splits on every comma, even inside `{1,2}`, and trims. It compiles each item between `^`
 * and `$` without a group, so `a|b` means "begins with a, or ends with b". It drops empty items, which could only match an empty name, and leaves
 * out items that do not compile.
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

/**
 * Whether an item of a list is written like a name. One with a dot, an underscore or a capital is parsed as a pattern that also matches itself. Its
 * writer means the name.
 */
export function isPlainName(item: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(item);
}

/** Whether any item of the list matches the name. */
export function namesSource(list: NameList, name: string): boolean {
  return list.exact.includes(name) || list.patterns.some(({ matches }) => matches(name));
}

function quote(item: string): string {
  return item.length > quotedLengthMax ? `${item.slice(0, quotedLengthMax)}…` : item;
}
