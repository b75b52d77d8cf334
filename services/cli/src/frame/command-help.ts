import { flagsHelp } from "@fleet-reloader/runtime/config/help";
import type { Command } from "./command.ts";

/** What the exit codes mean where a command says nothing else. */
const commonExitCodes: Readonly<Record<number, string>> = {
  0: "done",
  1: "it could not be done now: Redis, a cluster or the server does not answer, or refuses",
  78: "wrong usage: a word, a flag or its value",
};

/** The text of `fleet-reloader --help`: all commands with their purposes. */
export function overviewHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, purpose }) => `  ${name.padEnd(width)}  ${purpose}`);
  return `Usage: fleet-reloader COMMAND [flags]

Questions and acts of an operator of fleet-reloader.

Commands:
${lines.join("\n")}

fleet-reloader COMMAND --help explains a command. As a plugin of kubectl: kubectl fleet-reloader COMMAND.
The first word of the image may also be a service: standalone, watcher, worker or dashboard.
`;
}

/** The text of `--help` of one command. */
export function commandHelp(command: Command): string {
  const { purpose, details, examples, flags } = command;
  const parts = [
    `Usage: ${usageOf(command)}`,
    `${purpose}.`,
    ...(details === undefined ? [] : [details]),
    `Examples:\n${examples.map((line) => `  ${line}`).join("\n")}`,
    ...(Object.keys(flags).length === 0 ? [] : [flagsHelp(flags, "Flags")]),
    `Exit codes:\n${exitCodeLines(command).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The command with the words it takes. */
export function usageOf({ name, arguments: taken, flags }: Command): string {
  const words =
    taken === undefined ? "" : ` ${taken.min === 0 ? `[${taken.placeholder}]` : taken.placeholder}`;
  return `fleet-reloader ${name}${words}${Object.keys(flags).length === 0 ? "" : " [flags]"}`;
}

/** Own meanings beside the common ones, by code. */
export function exitCodesOf({
  exitCodes = {},
}: Command): readonly (readonly [code: string, meaning: string])[] {
  const all = Object.assign({}, 2 in exitCodes ? { 0: "done" } : commonExitCodes, exitCodes);
  return Object.entries(all);
}

function exitCodeLines(command: Command): readonly string[] {
  return exitCodesOf(command).map(([code, meaning]) => `  ${code.padEnd(3)} ${meaning}`);
}
