import process from "node:process";
import { asFault } from "@fleet-reloader/domain/fault";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { systemClock } from "@fleet-reloader/runtime/system-clock";
import { userAgent } from "@fleet-reloader/runtime/version";
import { openFreezes } from "@fleet-reloader/wiring/freezes";
import { freezeConfig, freezesConfig, unfreezeConfig } from "./config.ts";
import { freeze, listFreezes, unfreeze } from "./freeze.ts";

// sysexits.h EX_CONFIG, as for all that is wrong with what we were told.
const wronglyAsked = 78;

try {
  process.stdout.write(await run());
} catch (error) {
  process.stderr.write(`${asFault(error).message}\n`);
  process.exitCode = wronglyAsked;
}

async function run(): Promise<string> {
  const [verb, ...args] = process.argv.slice(2);
  const sources = { args, env: process.env };
  const shape = verb === "freeze" ? freezeConfig : verb === "unfreeze" ? unfreezeConfig : freezesConfig;
  const config = loadServiceConfig(`fleet-reloader ${verb}`, shape, sources);
  const open = openFreezes({ config, env: process.env, userAgent, clock: systemClock });
  try {
    const [store] = open.stores;
    if (store === undefined || verb === "freezes") return await listFreezes(open.stores);
    return verb === "freeze"
      ? await freeze(store, loadServiceConfig("fleet-reloader freeze", freezeConfig, sources))
      : await unfreeze(store, loadServiceConfig("fleet-reloader unfreeze", unfreezeConfig, sources));
  } finally {
    await open.close();
  }
}
