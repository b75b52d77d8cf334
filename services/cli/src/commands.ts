import { explainCommand } from "./ask/explain-command.ts";
import { planCommand } from "./ask/plan-command.ts";
import type { Command } from "./frame/command.ts";
import { createCompletionCommand } from "./frame/completion.ts";
import { freezeCommand, freezesCommand, unfreezeCommand } from "./freeze/freeze-commands.ts";
import { historyCommand } from "./history/history-command.ts";
import { lintCommand } from "./lint/lint-command.ts";

/** All commands in the order of the help. Help, completion and docs/command-line.md are made from this list. */
export const commands: readonly Command[] = withCompletion([
  freezeCommand,
  unfreezeCommand,
  freezesCommand,
  historyCommand,
  explainCommand,
  planCommand,
  lintCommand,
]);

function withCompletion(others: readonly Command[]): readonly Command[] {
  return [...others, createCompletionCommand(others)];
}
