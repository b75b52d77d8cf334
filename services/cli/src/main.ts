import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asFault } from "@fleet-reloader/domain/fault";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { endProcess } from "@fleet-reloader/runtime/end-process";
import { exitCodeOf } from "@fleet-reloader/runtime/exit-code";
import { createLog } from "@fleet-reloader/runtime/pino-log";
import { systemClock } from "@fleet-reloader/runtime/system-clock";
import { userAgent } from "@fleet-reloader/runtime/version";
import {
  type FreezeStore,
  type FreezeStores,
  type FreezesOptions,
  openFreezes,
} from "@fleet-reloader/wiring/freezes";
import { freezeConfig, freezesConfig, historyConfig, unfreezeConfig } from "./config.ts";
import { coveredFreeze } from "./covered-freeze.ts";
import { listFreezes, unfreeze } from "./freeze.ts";
import { readHistory } from "./history.ts";

// Without a listener an error of the output ends the process with a stack.
process.stdout.on("error", fail);
process.on("uncaughtException", fail);
try {
  await run();
  await endProcess(Number(process.exitCode ?? 0));
} catch (error) {
  await fail(error);
}

function fail(error: unknown): Promise<never> {
  // Who reads has seen enough, as `head` has.
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return endProcess(0);
  const fault = asFault(error);
  process.stderr.write(`${fault.message}\n`);
  return endProcess(exitCodeOf(fault));
}

async function run(): Promise<void> {
  const [verb, ...args] = process.argv.slice(2);
  const load = <S extends ConfigShape>(shape: S) =>
    loadServiceConfig(`fleet-reloader ${verb}`, shape, { args, env: process.env });
  switch (verb) {
    case "freeze": {
      const config = await load(freezeConfig);
      return await say(config, ([store]) => freezeAndTell(store, config));
    }
    case "unfreeze": {
      const config = await load(unfreezeConfig);
      return await say(config, ([store]) => unfreeze(store, config));
    }
    case "history": {
      const log = createLog({ service: "cli", level: "error", format: "json" });
      const lines = readHistory(await load(historyConfig), { clock: systemClock, log });
      return await pipeline(Readable.from(lines), process.stdout, { end: false });
    }
    default:
      return await say(await load(freezesConfig), listFreezes);
  }
}

async function freezeAndTell(store: FreezeStore, config: ConfigOf<typeof freezeConfig>): Promise<string> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const report = await coveredFreeze(store, config, { env: process.env, clock: systemClock, log });
  process.stderr.write(report.warning ?? "");
  process.exitCode = report.exitCode;
  return report.says;
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
