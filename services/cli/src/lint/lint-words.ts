/** The words of the command line: files, and flags for the config. */
export interface LintWords {
  readonly files: readonly string[];
  readonly flags: readonly string[];
}

/** Flags that stand alone; every other flag takes the word after it unless it holds its value. */
const switches: ReadonlySet<string> = new Set(["--auto-reload-all", "--help", "-h", "--version"]);

/** Tells files from flags. After `--` all words are files; `-` is one, too. */
export function lintWords(args: readonly string[]): LintWords {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const files: string[] = [];
  const flags: string[] = [];
  let isValue = false;
  for (const word of before) {
    const isFlag: boolean = !isValue && word.startsWith("-") && word !== "-";
    if (isFlag || isValue) flags.push(word);
    else files.push(word);
    isValue = isFlag && !switches.has(word) && !word.includes("=") && !/^-o./.test(word);
  }
  return { files: end < 0 ? files : [...files, ...args.slice(end + 1)], flags: flags.map(longOutput) };
}

/** `-ojson` as `--output=json`; the long spellings stay as they are. */
function longOutput(flag: string): string {
  return /^-o.+/.test(flag) ? `--output=${flag.replace(/^-o=?/, "")}` : flag === "-o" ? "--output" : flag;
}
