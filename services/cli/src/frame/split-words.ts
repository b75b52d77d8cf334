import type { ConfigShape } from "@fleet-reloader/runtime/config/field";

/** The words after a command: its arguments, and flags for the configuration. */
export interface SplitWords {
  readonly free: readonly string[];
  readonly flags: readonly string[];
}

/** Tells arguments from flags and their values. After `--` all words are arguments; `-` is one, too. */
export function splitWords(shape: ConfigShape, words: readonly string[]): SplitWords {
  const switches = switchesOf(shape);
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const free: string[] = [];
  const flags: string[] = [];
  let isValue = false;
  for (const word of before) {
    const isFlag: boolean = !isValue && word.startsWith("-") && word !== "-";
    if (isFlag || isValue) flags.push(word);
    else free.push(word);
    isValue = isFlag && !switches.has(word) && !word.includes("=") && !/^-o./.test(word);
  }
  return { free: end < 0 ? free : [...free, ...words.slice(end + 1)], flags: flags.map(longOutput) };
}

/** Flags that stand alone; every other flag takes the word after it unless it holds its value. */
function switchesOf(shape: ConfigShape): ReadonlySet<string> {
  return new Set(
    Object.values(shape).flatMap(({ meta: { flag, aliases = [], isSwitch } }) =>
      isSwitch === true ? [flag, ...aliases].map((name) => `--${name}`) : [],
    ),
  );
}

/** `-ojson` as `--output=json`; the long spellings stay as they are. */
function longOutput(flag: string): string {
  return /^-o.+/.test(flag) ? `--output=${flag.replace(/^-o=?/, "")}` : flag === "-o" ? "--output" : flag;
}
