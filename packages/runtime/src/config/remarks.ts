import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigShape } from "./field.ts";
import { type ConfigSources, givenValues } from "./load.ts";

/** Logs one line for each accepted value that does not do what its name suggests. */
export function remarkOn(shape: ConfigShape, sources: ConfigSources, log: Pick<Log, "info" | "warn">): void {
  const given = givenValues(shape, sources).values;
  const textOf = (field: string) => [given.get(field)?.value ?? ""].flat().join(",");
  const isGiven = (field: string) => textOf(field) !== "";
  for (const [name, { meta }] of Object.entries(shape)) {
    const one = given.get(name);
    if (one === undefined) continue;
    const remark = meta.remark?.(textOf(name), isGiven);
    if (remark !== undefined) log[remark.level]({}, `${one.label}: ${remark.says}`);
  }
}
