import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigShape } from "./field.ts";
import { type ConfigSources, givenValues } from "./load.ts";

/** Logs one line for each accepted value that does not do what its name suggests. */
export function remarkOn(shape: ConfigShape, sources: ConfigSources, log: Pick<Log, "info" | "warn">): void {
  const given = givenValues(shape, sources).values;
  const isGiven = (field: string) => (given.get(field)?.value ?? "") !== "";
  for (const [name, { meta }] of Object.entries(shape)) {
    const one = given.get(name);
    if (one === undefined || typeof one.value !== "string") continue;
    const remark = meta.remark?.(one.value, isGiven);
    if (remark !== undefined) log[remark.level]({}, `${one.label}: ${remark.says}`);
  }
}
