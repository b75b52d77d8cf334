import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { deathSignalPrefix, type Lifeline } from "./lifeline.ts";

/** What to run: a program and the arguments that come before the component's own flags. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** One running child. It does not outlive this process. */
export interface Component {
  /** Undefined once it has ended. */
  readonly pid: () => number | undefined;
  /** Throws when it has ended; the message holds its last lines. */
  readonly assertRunning: () => void;
  /** Sends the signal and waits for the end; kills it when it still runs after `graceMs`. */
  readonly stop: (signal?: "SIGTERM" | "SIGKILL", graceMs?: number) => Promise<void>;
}

/** Enough to show the fatal line and what led to it. */
const TAIL_LINES = 15;

/**
 * Starts a component, its output going straight to `<name>.log`: a busy test process cannot stall it
 * by not reading a pipe. `onUnexpectedEnd` hears when it ends before `stop` was called.
 */
export async function startComponent(start: {
  readonly name: string;
  readonly command: Command;
  readonly flags: readonly string[];
  readonly lifeline: Lifeline;
  readonly onUnexpectedEnd: (message: string) => void;
}): Promise<Component> {
  const logPath = join(start.lifeline.directory, `${start.name}.log`);
  const output = openSync(logPath, "a");
  const [file = "", ...args] = [
    ...deathSignalPrefix(),
    start.command.file,
    ...start.command.args,
    ...start.flags,
  ];
  const child = spawn(file, args, { stdio: ["ignore", output, output] });
  start.lifeline.hold(child);
  closeSync(output);
  await once(child, "spawn");

  let isStopping = false;
  const ending = (): string | undefined => endingOf(child);
  const endMessage = (): string =>
    `${start.name} ended (${ending()}). Its last lines:\n${lastLines(logPath)}`;
  const ended = once(child, "exit").then(() => {
    if (!isStopping) start.onUnexpectedEnd(endMessage());
  });
  return {
    pid: () => (ending() === undefined ? child.pid : undefined),
    assertRunning: () => {
      if (ending() !== undefined) throw new Error(endMessage());
    },
    stop: async (signal = "SIGTERM", graceMs = 5_000) => {
      isStopping = true;
      if (ending() === undefined) child.kill(signal);
      const patience = new AbortController();
      await Promise.race([
        ended,
        delay(graceMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
      if (ending() === undefined) child.kill("SIGKILL");
      await ended;
    },
  };
}

function endingOf(child: ChildProcess): string | undefined {
  if (child.signalCode !== null) return `killed by ${child.signalCode}`;
  return child.exitCode === null ? undefined : `exit code ${child.exitCode}`;
}

function lastLines(path: string): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
  } catch (error) {
    return `(no output readable: ${String(error)})`;
  }
}
