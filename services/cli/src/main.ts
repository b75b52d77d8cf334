import { constants } from "node:os";
import process from "node:process";
import { endProcess } from "@fleet-reloader/runtime/process/end-process";
import { commands } from "./commands.ts";
import { besideService, firstProcessHere } from "./frame/beside-service.ts";
import { exitCodeAfter } from "./frame/command.ts";
import { runCommandLine } from "./frame/command-line.ts";

// The kernel drops signals that the first process of a container has no handler for. Any other process they end without one.
if (process.pid === 1)
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => void endProcess(128 + constants.signals[signal], 0));
// Without a listener an error of the output ends the process with a stack.
process.stdout.on("error", fail);
process.on("uncaughtException", fail);
const { stderr, stdin, stdout } = process;
const env = besideService(process.env, firstProcessHere());
await endCommand(await runCommandLine(commands, process.argv.slice(2), { env, stdin, stdout, stderr }));

function fail(error: unknown): Promise<never> {
  return endCommand(exitCodeAfter(error, process));
}

/** A reader such as `less` pauses for as long as a person reads. One that goes away ends the command with EPIPE. */
function endCommand(code: number): Promise<never> {
  return endProcess(code, Number.POSITIVE_INFINITY);
}
