import { readFileSync } from "node:fs";
import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { givenValues } from "@fleet-reloader/runtime/config/load";
import type { CommandProcess } from "./command.ts";

/** The image starts its services with this program. */
const serviceProgram = "/app/main.mjs";

/** The first word after the program. A command has another one. */
const serviceWord = /^(standalone|watcher|worker|dashboard|-.*|)$/;

/** What a service has by flags, and a command by variables of the same names. */
const sharedFields = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...brakeFields,
  ...freezeFields,
} as const;

/**
 * The variables of a command in the container of a service, so that it has the settings of the service: a flag of the service
 * takes the place of its variable. `firstProcess` is the command line of the first process there. Any other changes nothing.
 */
export function besideService(
  env: CommandProcess["env"],
  firstProcess: readonly string[],
): CommandProcess["env"] {
  const program = firstProcess.indexOf(serviceProgram);
  const args = firstProcess.slice(program + 1);
  if (program < 0 || !serviceWord.test(args[0] ?? "")) return env;
  const { values } = givenValues(sharedFields, { args, env: {} });
  const byFlags = Object.entries(sharedFields).flatMap(([name, { meta }]) => {
    const given = values.get(name);
    return given === undefined ? [] : [[meta.env, [given.value].flat().join(",")] as const];
  });
  return { ...env, ...Object.fromEntries(byFlags) };
}

/** The command line of the first process of this container, or machine. Empty where it cannot be told. */
export function firstProcessHere(): readonly string[] {
  try {
    return readFileSync("/proc/1/cmdline", "utf8").replace(/\0$/, "").split("\0");
  } catch {
    return [];
  }
}
