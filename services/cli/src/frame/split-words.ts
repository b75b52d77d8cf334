import type { ConfigShape } from "@fleet-reloader/runtime/config/field";

/** The words after a command: its arguments, and flags for the configuration. */
export interface SplitWords {
  readonly free: readonly string[];
  readonly flags: readonly string[];
}

/** Tells arguments from flags and their values. After `--` all words are arguments; `-` is one, too. */
export function splitWords(shape: ConfigShape, words: readonly string[]): SplitWords {
  const switches = switchesOf(shape);
  const letters = lettersOf(shape);
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const free: string[] = [];
  const flags: string[] = [];
  let isValue = false;
  for (const word of before) {
    const isFlag: boolean = !isValue && word.startsWith("-") && word !== "-";
    if (isFlag) flags.push(longFlag(word, letters));
    else if (isValue) flags.push(word);
    else free.push(word);
    isValue = isFlag && !switches.has(word) && !word.includes("=") && !holdsValue(word, letters);
  }
  const all = end < 0 ? free : [...free, ...words.slice(end + 1)];
  return { free: all, flags };
}

/** Flags that stand alone; every other flag takes the word after it unless it holds its value. */
function switchesOf(shape: ConfigShape): ReadonlySet<string> {
  return new Set(
    Object.values(shape).flatMap(({ meta: { flag, aliases = [], isSwitch } }) =>
      isSwitch === true ? [flag, ...aliases].map((name) => `--${name}`) : [],
    ),
  );
}

/** `-o json`, `-ojson` and `-n shop` with the long name of the flag; the long spellings stay as they are. */
function longFlag(word: string, letters: ReadonlyMap<string, string>): string {
  const [, letter = "", value = ""] = /^-([a-z])=?(.*)$/.exec(word) ?? [];
  const flag = letters.get(letter);
  if (flag === undefined) return word;
  return value === "" ? `--${flag}` : `--${flag}=${value}`;
}

/** As `-ojson` does. */
function holdsValue(word: string, letters: ReadonlyMap<string, string>): boolean {
  return /^-[a-z]./.test(word) && letters.has(word.charAt(1));
}

/** Flags by their letter. */
function lettersOf(shape: ConfigShape): ReadonlyMap<string, string> {
  return new Map(
    Object.values(shape).flatMap(({ meta: { flag, aliases = [] } }) =>
      aliases.filter((alias) => alias.length === 1).map((letter) => [letter, flag] as const),
    ),
  );
}
