import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { version } from "@fleet-reloader/runtime/process/version";
import { type Command, type CommandProcess, exitCodeAfter } from "./command.ts";
import { commandHelp, overviewHelp } from "./command-help.ts";

/** sysexits.h EX_CONFIG, as for every other wrong word. */
const unknownCommand = 78;

/** Runs what the words ask for, and returns the exit code. A fault goes to standard error. */
export async function runCommandLine(
  commands: readonly Command[],
  [verb = "", ...words]: readonly string[],
  io: CommandProcess,
): Promise<number> {
  if (["", "-h", "--help"].includes(verb)) return print(io, overviewHelp(commands));
  if (verb === "--version") return print(io, `fleet-reloader ${version}\n`);
  const isHelp = verb === "help";
  const [name = ""] = isHelp ? words : [verb];
  if (name === "") return print(io, overviewHelp(commands));
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return refuse(commands, name, io);
  if (isHelp || asks(words, "-h", "--help")) return print(io, commandHelp(command));
  if (asks(words, "--version")) return print(io, `fleet-reloader ${name} ${version}\n`);
  try {
    return await command.invoke(words, io);
  } catch (error) {
    return exitCodeAfter(error, io);
  }
}

function print({ stdout }: CommandProcess, text: string): number {
  stdout.write(text);
  return 0;
}

/** What follows `--` is no flag. */
function asks(words: readonly string[], ...flags: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => flags.includes(word));
}

function refuse(commands: readonly Command[], name: string, { stderr }: CommandProcess): number {
  const near = nearestName(
    name,
    commands.map((one) => one.name),
  );
  const mend = near === undefined ? "fleet-reloader --help lists them" : `did you mean ${near}?`;
  stderr.write(`${name}: no such command; ${mend}\n`);
  return unknownCommand;
}
