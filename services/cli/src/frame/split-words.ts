import type { ConfigShape } from "@fleet-reloader/runtime/config/field";

/** The words after a command: its arguments, and flags for the configuration. */
export interface SplitWords {
  readonly free: readonly string[];
  readonly flags: readonly string[];
}

/** Tells arguments from flags and their values. After `--` all words are arguments; `-` is one, too. */
export function splitWords(shape: ConfigShape, words: readonly string[]): SplitWords {
  const { before, after } = aroundDoubleDash(words);
  const placed = placedWords(shape, before);
  return {
    free: [...textsOfPlaced(placed, (one) => one.isFree), ...after.slice(1)],
    flags: textsOfPlaced(placed, (one) => !one.isFree),
  };
}

/** The words in their order, with the long names of flags whose letter is written together with a value. */
export function withLongFlags(shape: ConfigShape, words: readonly string[]): readonly string[] {
  const { before, after } = aroundDoubleDash(words);
  return [...placedWords(shape, before).map(({ word }) => word), ...after];
}

/** The words before `--`, and those from it on. */
function aroundDoubleDash(words: readonly string[]) {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  return { before, after: words.slice(before.length) };
}

interface PlacedWord {
  readonly word: string;
  /** Neither a flag nor the value of one. */
  readonly isFree: boolean;
}

function placedWords(shape: ConfigShape, words: readonly string[]): readonly PlacedWord[] {
  const switches = switchesOf(shape);
  const letters = lettersOf(shape);
  let isValue = false;
  return words.map((word) => {
    const isFlag = !isValue && word.startsWith("-") && word !== "-";
    const placed = { word: isFlag ? longFlag(word, letters) : word, isFree: !isFlag && !isValue };
    isValue = isFlag && !switches.has(word) && !word.includes("=") && !holdsValue(word, letters);
    return placed;
  });
}

function textsOfPlaced(
  placed: readonly PlacedWord[],
  isMeant: (one: PlacedWord) => boolean,
): readonly string[] {
  return placed.filter(isMeant).map(({ word }) => word);
}

/** Flags that stand alone; every other flag takes the word after it unless it holds its value. */
function switchesOf(shape: ConfigShape): ReadonlySet<string> {
  return new Set(
    Object.values(shape).flatMap(({ meta: { flag, aliases = [], isSwitch } }) =>
      isSwitch === true ? [flag, ...aliases].map((name) => `--${name}`) : [],
    ),
  );
}

/** `-ojson` and `-o=json` with the long name of the flag. All other spellings stay as they are. */
function longFlag(word: string, letters: ReadonlyMap<string, string>): string {
  const [, letter = "", equals = "", value = ""] = /^-([a-z])(=?)(.*)$/.exec(word) ?? [];
  const flag = letters.get(letter);
  return flag === undefined || `${equals}${value}` === "" ? word : `--${flag}=${value}`;
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
