import process from "node:process";
import { endProcess } from "@fleet-reloader/runtime/process/end-process";
import { commands } from "./commands.ts";
import { exitCodeAfter } from "./frame/command.ts";
import { runCommandLine } from "./frame/command-line.ts";

// Without a listener an error of the output ends the process with a stack.
process.stdout.on("error", fail);
process.on("uncaughtException", fail);
await endProcess(await runCommandLine(commands, process.argv.slice(2), process));

function fail(error: unknown): Promise<never> {
  return endProcess(exitCodeAfter(error, process));
}
