import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asFault } from "@fleet-reloader/domain/fault";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { endProcess } from "@fleet-reloader/runtime/process/end-process";
import { exitCodeOf } from "@fleet-reloader/runtime/process/exit-code";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type FreezeStores, type FreezesOptions, openFreezes } from "@fleet-reloader/wiring/freezes";
import { freezeConfig, freezesConfig, historyConfig, unfreezeConfig } from "./config.ts";
import { coveredFreeze } from "./covered-freeze.ts";
import { listFreezes, unfreeze } from "./freeze.ts";
import { readHistory } from "./history.ts";
import { runLint } from "./lint/run-lint.ts";

// Without a listener an error of the output ends the process with a stack.
process.stdout.on("error", fail);
process.on("uncaughtException", fail);
try {
  await endProcess(await runCommand());
} catch (error) {
  await fail(error);
}

function fail(error: unknown): Promise<never> {
  // The reader has closed the pipe, as `head` does.
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return endProcess(0);
  const fault = asFault(error);
  process.stderr.write(`${fault.message}\n`);
  return endProcess(exitCodeOf(fault));
}

/** Runs the command and returns its exit code. */
async function runCommand(): Promise<number> {
  const [verb, ...args] = process.argv.slice(2);
  const load = <S extends ConfigShape>(shape: S) =>
    loadServiceConfig(`fleet-reloader ${verb}`, shape, { args, env: process.env });
  switch (verb) {
    case "freeze": {
      const config = await load(freezeConfig);
      return await freezeAndTell(config);
    }
    case "unfreeze": {
      const config = await load(unfreezeConfig);
      await say(config, ([store]) => unfreeze(store, config));
      return 0;
    }
    case "history": {
      const log = createLog({ service: "cli", level: "error", format: "json" });
      const lines = readHistory(await load(historyConfig), { clock: systemClock, log });
      await pipeline(Readable.from(lines), process.stdout, { end: false });
      return 0;
    }
    case "lint":
      return await runLint(args, process);
    default:
      await say(await load(freezesConfig), listFreezes);
      return 0;
  }
}

async function freezeAndTell(config: ConfigOf<typeof freezeConfig>): Promise<number> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  let exitCode = 0;
  await say(config, async ([store]) => {
    const report = await coveredFreeze(store, config, { env: process.env, clock: systemClock, log });
    process.stderr.write(report.warning ?? "");
    exitCode = report.exitCode;
    return report.says;
  });
  return exitCode;
}

async function say(
  config: FreezesOptions["config"],
  act: (stores: FreezeStores) => Promise<string>,
): Promise<void> {
  const open = openFreezes({ config, env: process.env, userAgent, clock: systemClock });
  try {
    process.stdout.write(await act(open.stores));
  } finally {
    await open.close();
  }
}
