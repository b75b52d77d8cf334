import { accessTokenCommand } from "./access/access-token-command.ts";
import { discardCommand, releaseCommand, replayCommand, retryCommand } from "./acts/act-commands.ts";
import { explainCommand } from "./ask/explain-command.ts";
import { planCommand } from "./ask/plan-command.ts";
import { auditPolicyCommand } from "./audit/audit-policy-command.ts";
import type { Command } from "./frame/command.ts";
import { createCompletionCommand } from "./frame/completion.ts";
import { freezeCommand, freezesCommand, unfreezeCommand } from "./freeze/freeze-commands.ts";
import { historyCommand } from "./history/history-command.ts";
import { lintCommand } from "./lint/lint-command.ts";
import { loginCommand, logoutCommand } from "./login/login-commands.ts";
import { actsCommand } from "./questions/acts-command.ts";
import { changesCommand } from "./questions/changes-command.ts";
import { clustersCommand } from "./questions/clusters-command.ts";
import { heldCommand } from "./questions/held-command.ts";
import { managedCommand } from "./questions/managed-command.ts";
import { queueCommand } from "./questions/queue-command.ts";
import { statusCommand } from "./questions/status-command.ts";

/** All commands in the order of the help. Help, completion and docs/command-line.md are made from this list. */
export const commands: readonly Command[] = withCompletion([
  statusCommand,
  clustersCommand,
  changesCommand,
  queueCommand,
  heldCommand,
  managedCommand,
  retryCommand,
  replayCommand,
  releaseCommand,
  discardCommand,
  freezeCommand,
  unfreezeCommand,
  freezesCommand,
  actsCommand,
  historyCommand,
  explainCommand,
  planCommand,
  lintCommand,
  auditPolicyCommand,
  accessTokenCommand,
  loginCommand,
  logoutCommand,
]);

function withCompletion(others: readonly Command[]): readonly Command[] {
  return [...others, createCompletionCommand(others)];
}
