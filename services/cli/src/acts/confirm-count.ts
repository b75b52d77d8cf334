import { createInterface } from "node:readline/promises";
import { Fault } from "@fleet-reloader/domain/fault";
import { counted } from "../frame/answer.ts";
import type { CommandProcess } from "../frame/command.ts";

export interface CountToConfirm {
  readonly count: number;
  /** What is done, for people: `check again`. */
  readonly act: string;
  readonly yes: boolean;
  /** Undefined: any number. */
  readonly expect: number | undefined;
}

/**
 * Whether to go on: one workload needs no word, several need `--yes`, a matching `--expect`, or a person who says so. Another count than
 * the expected one is refused.
 */
export async function confirmCount(
  { count, act, yes, expect }: CountToConfirm,
  { stdin, stderr }: CommandProcess,
): Promise<boolean> {
  const what = counted(count, "workload");
  if (expect !== undefined && expect !== count)
    throw new Fault("config.invalid", `--expect ${expect}: ${what} would be meant; nothing was done`);
  if (count <= 1 || yes || expect === count) return true;
  if (stdin.isTTY !== true)
    throw new Fault("config.invalid", `--yes: ${what} would be meant; write --yes, or --expect ${count}`);
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${act} ${what}? [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
