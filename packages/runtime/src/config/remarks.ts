import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type ConfigShape, variablePrefix } from "./field.ts";
import { type ConfigSources, givenValues, ignoredValues } from "./load.ts";

/** Logs one line for each accepted value that does not do what its name suggests, or nothing, and for each variable with a misspelt name. */
export function remarkOn(shape: ConfigShape, sources: ConfigSources, log: Pick<Log, "warn">): void {
  const given = givenValues(shape, sources).values;
  const textOf = (field: string) => [given.get(field)?.value ?? ""].flat().join(",");
  for (const [name, { meta }] of Object.entries(shape)) {
    const one = given.get(name);
    if (one === undefined) continue;
    const remark = meta.remark?.(textOf(name), textOf);
    if (remark !== undefined) log.warn({}, `${one.label}: ${remark}`);
  }
  for (const ignored of ignoredValues(shape, sources)) log.warn({}, ignored);
  for (const { name, meant } of misspeltVariables(shape, sources))
    log.warn({}, `${name}: no variable has this name, so it has no effect; did you mean ${meant}?`);
}

/** Services share their variables, and many names differ by one word, so only two wrong letters count as a typo. */
const wrongLettersMax = 2;

function misspeltVariables(
  shape: ConfigShape,
  { env }: ConfigSources,
): readonly { readonly name: string; readonly meant: string }[] {
  const known = Object.values(shape).map(({ meta }) => meta.env);
  const suffixes = known
    .filter((name) => name.startsWith(variablePrefix))
    .map((name) => name.slice(variablePrefix.length));
  return Object.keys(env).flatMap((name) => {
    if (!name.startsWith(variablePrefix) || known.includes(name)) return [];
    const meant = nearestName(name.slice(variablePrefix.length), suffixes, wrongLettersMax);
    return meant === undefined ? [] : [{ name, meant: `${variablePrefix}${meant}` }];
  });
}
