import { parseArgs } from "node:util";
import { Fault } from "@fleet-reloader/domain/fault";
import type { ConfigOf, ConfigShape, FieldMeta } from "./field.ts";

export interface ConfigSources {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Default < environment < flag, checked field by field. Reports every problem at once, each with the field, the value and
 * the mend; the result is frozen.
 */
export function loadConfig<S extends ConfigShape>(shape: S, sources: ConfigSources): ConfigOf<S> {
  const { flags, problems } = readFlags(shape, sources.args);
  const result: Record<string, unknown> = {};
  for (const [name, { schema, meta }] of Object.entries(shape)) {
    const given = flags.get(meta.flag) ?? fromEnv(meta, sources.env);
    const parsed = schema.safeParse(given?.value);
    if (parsed.success) result[name] = parsed.data;
    else
      problems.push(
        `${given?.label ?? `--${meta.flag}`}: ${parsed.error.issues.map((issue) => issue.message).join("; ")}`,
      );
  }
  if (problems.length > 0) throw new Fault("config.invalid", problems.join("\n"));
  // Every field of the shape was parsed by its own schema just above.
  return Object.freeze(result) as ConfigOf<S>;
}

interface Given {
  readonly value: unknown;
  readonly label: string;
}

function readFlags(
  shape: ConfigShape,
  args: readonly string[],
): { flags: Map<string, Given>; problems: string[] } {
  const metas = new Map(Object.values(shape).map(({ meta }) => [meta.flag, meta]));
  const options = Object.fromEntries(
    [...metas].map(([flag, meta]) => [
      flag,
      { type: meta.isSwitch === true ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, Given>();
  const problems: string[] = [];
  let isAfterUnknown = false;
  for (const token of tokens) {
    // What follows an unknown flag is most likely its value, and may be a password: it is not quoted.
    if (token.kind === "positional" && !isAfterUnknown)
      problems.push(`${token.value}: not understood here; flags begin with --`);
    isAfterUnknown = false;
    if (token.kind !== "option") continue;
    const meta = metas.get(token.name);
    if (meta === undefined) {
      problems.push(`${token.rawName}: no such flag${suggestion(token.name, [...metas.keys()])}`);
      isAfterUnknown = true;
      continue;
    }
    const text = token.value ?? (meta.isSwitch === true ? "true" : undefined);
    if (text === undefined) {
      problems.push(`--${meta.flag}: a value is missing; write --${meta.flag}=${meta.placeholder}`);
      continue;
    }
    const before = flags.get(meta.flag)?.value;
    const value =
      meta.isList === true ? [...(Array.isArray(before) ? before : []), ...splitList(text)] : text;
    flags.set(meta.flag, { value, label: `--${meta.flag} ${text}` });
  }
  return { flags, problems };
}

function fromEnv(meta: FieldMeta, env: ConfigSources["env"]): Given | undefined {
  const text = env[meta.env];
  if (text === undefined || text === "") return undefined;
  return { value: meta.isList === true ? splitList(text) : text, label: `${meta.env}=${text}` };
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function suggestion(name: string, known: readonly string[]): string {
  const near = known.find(
    (flag) =>
      flag.startsWith(name.slice(0, 4)) ||
      flag.replaceAll("-", "") === name.replaceAll("-", "").toLowerCase(),
  );
  return near === undefined ? "; --help lists them" : `; did you mean --${near}?`;
}
