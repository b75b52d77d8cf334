import type { Readable, Writable } from "node:stream";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { exitCodeOf } from "@fleet-reloader/runtime/process/exit-code";
import { type SplitWords, splitWords, withLongFlags } from "./split-words.ts";

/** The process, as far as a command sees it. */
export interface CommandProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The words after a command that are no flags. */
export interface CommandArguments {
  /** How the help writes them, for example `KIND/NAME` or `FILE...`. */
  readonly placeholder: string;
  /** The mend for a missing or wrong argument; for example `write Kind/name, for example Deployment/api`. */
  readonly mend: string;
  /** At least and at most so many. */
  readonly min: number;
  readonly max: number;
  /** The closed list of what each may be; absent when any word may be meant. */
  readonly choices?: readonly string[];
}

interface CommandPage {
  readonly name: string;
  /** One line without a full stop: what the command does, as the list of commands shows it. */
  readonly purpose: string;
  /** What else a person has to know, in lines of at most 120 characters. */
  readonly details?: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
  /** Absent: the command takes flags only. */
  readonly arguments?: CommandArguments;
  readonly flags: ConfigShape;
  /** Meanings of exit codes that differ from those of all commands. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

/** A command of the command line. Its help, its page and its completion are made from it. */
export interface Command extends CommandPage {
  /**
   * Checks the words that follow the command's name, and does what they ask for. Returns the exit code. Throws the Fault of
   * what could not be done.
   */
  invoke(words: readonly string[], io: CommandProcess): Promise<number>;
}

interface CommandDefinition<S extends ConfigShape> extends CommandPage {
  readonly flags: S;
  /** The exit code of a wrong flag; 78 when absent. */
  readonly usageExitCode?: number;
  /** Returns the exit code. */
  run(given: GivenWords<S>, io: CommandProcess): Promise<number>;
}

interface GivenWords<S extends ConfigShape> {
  readonly config: ConfigOf<S>;
  /** In the number that `arguments` says. */
  readonly words: readonly string[];
}

/** Makes a command whose flags and arguments are checked before it runs. */
export function defineCommand<const S extends ConfigShape>(definition: CommandDefinition<S>): Command {
  const { name, purpose, details, examples, flags, exitCodes, usageExitCode } = definition;
  const taken = definition.arguments;
  return {
    name,
    purpose,
    examples,
    flags,
    ...(details === undefined ? {} : { details }),
    ...(taken === undefined ? {} : { arguments: taken }),
    ...(exitCodes === undefined ? {} : { exitCodes }),
    async invoke(words, io) {
      try {
        refuseServer(name, flags, words);
        const split = splitGiven(definition, words);
        const config = loadConfig(flags, { args: split.flags, env: io.env });
        if (taken !== undefined) checkArguments(taken, split.free);
        return await definition.run({ config, words: split.free }, io);
      } catch (error) {
        const fault = asFlagFault(asFault(error));
        if (usageExitCode === undefined || fault.class !== "misconfigured") throw fault;
        io.stderr.write(`${fault.message}\n`);
        return usageExitCode;
      }
    },
  };
}

/** A word that a command does not take stays in its place: what is said of it depends on the flag before it. */
function splitGiven(
  definition: Pick<CommandPage, "arguments" | "flags">,
  words: readonly string[],
): SplitWords {
  if (definition.arguments !== undefined) return splitWords(definition.flags, words);
  return { free: [], flags: withLongFlags(definition.flags, words) };
}

/** What needs neither Redis nor a cluster has nothing to ask a server. */
function refuseServer(name: string, flags: ConfigShape, words: readonly string[]): void {
  if (Object.values(flags).some(({ meta }) => meta.flag === "server")) return;
  const end = words.indexOf("--");
  const isGiven = (end < 0 ? words : words.slice(0, end)).some((word) => /^--server(=|$)/.test(word));
  if (isGiven)
    throw new Fault(
      "config.invalid",
      `--server: ${name} works on this machine alone and asks no server; leave it out`,
    );
}

/** A question is put with flags: its fields are theirs. A message that names a flag is complete. */
export function asFlagFault(fault: Fault): Fault {
  if (fault.code !== "question.invalid") return fault;
  const { message, parts } = fault;
  const lines = parts.length === 0 ? [message] : message.split("\n");
  const flags = lines.map((line) => (line.startsWith("--") ? line : `--${line}`));
  return new Fault("config.invalid", flags.join("\n"), { cause: fault });
}

function checkArguments(
  { placeholder, mend, min, max, choices }: CommandArguments,
  words: readonly string[],
): void {
  const [label = placeholder] = placeholder.split(/[.\s]/);
  if (words.length < min) throw new Fault("config.invalid", `${label}: none is given; ${mend}`);
  if (words.length > max) throw new Fault("config.invalid", `${label}: ${words.length} are given; ${mend}`);
  const wrong = words.find((word) => choices?.includes(word) === false);
  if (wrong !== undefined) throw new Fault("config.invalid", `${label} ${wrong}: is not known; ${mend}`);
}

/** Reports what was thrown to standard error, and returns the exit code of its class. */
export function exitCodeAfter(error: unknown, { stderr }: Pick<CommandProcess, "stderr">): number {
  // The reader has closed the pipe, as `head` does.
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return 0;
  const fault = asFault(error);
  stderr.write(`${fault.message}\n`);
  return exitCodeOf(fault);
}
