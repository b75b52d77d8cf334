import { readFileSync } from "node:fs";

/** What a page tells its reader to do, in its order. */
export type PageStep =
  /** A YAML block that begins with the comment `# NAME.yaml`. */
  | { readonly type: "file"; readonly name: string; readonly text: string }
  | { readonly type: "command"; readonly words: readonly string[]; readonly shown: string }
  /** A line of a block of `sh`: it needs what no simulated cluster has. */
  | { readonly type: "elsewhere"; readonly words: readonly string[] };

/** A page of docs/operate. */
export interface Page {
  readonly path: string;
  readonly text: string;
  readonly steps: readonly PageStep[];
}

/** Reads a page of docs/operate: its YAML files and its commands, each with the answer that it shows. */
export function readPage(name: string): Page {
  const path = `docs/operate/${name}`;
  const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)];
  const steps = blocks.flatMap(([, language = "", block = ""]) => stepsIn(path, language, block));
  return { path, text, steps };
}

function stepsIn(path: string, language: string, block: string): readonly PageStep[] {
  if (language === "yaml") {
    const [, name] = /^# (\S+\.yaml)\n/.exec(block) ?? [];
    return name === undefined ? [] : [{ type: "file", name, text: block }];
  }
  if (language === "sh") {
    const lines = block.replaceAll("\\\n", " ").split("\n");
    return lines
      .filter((line) => line !== "")
      .map((line) => ({ type: "elsewhere", words: shellWords(line) }));
  }
  if (language !== "console") throw new Error(`${path}: a block of ${language} says nothing that can be run`);
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [line = "", ...shown] = part.replaceAll("\\\n", " ").split("\n");
      return { type: "command", words: shellWords(line), shown: shown.join("\n").trim() };
    });
}

/** Words with their quotes taken away: all that the pages use of a shell. */
export function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}

/** Whether an answer is what a page shows, where `…` stands for any text and a line of `…` for any lines. */
export function isShown(answer: string, shown: string): boolean {
  const pattern = shown
    .split(/^…$/m)
    .map((part) =>
      part
        .trim()
        .split(/\s*\n\s*/)
        .map(patternOf)
        .join("\\s*\\n\\s*"),
    )
    .join("[\\s\\S]*");
  return new RegExp(`^\\s*${pattern}\\s*$`).test(answer);
}

function patternOf(line: string): string {
  return line
    .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/\s+/g, "\\s+")
    .replaceAll("…", ".*");
}
