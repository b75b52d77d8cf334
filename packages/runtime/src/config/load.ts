import { parseArgs } from "node:util";
import { Fault } from "@fleet-reloader/domain/fault";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
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
  const { values, problems } = givenValues(shape, sources);
  const { parsed, unusable } = parseFields(shape, values);
  const refused = unusable.filter(({ readWith }) => !isUnread(readWith, parsed));
  const all = [...problems, ...refused.map(({ problem }) => problem)];
  if (all.length > 0) throw new Fault("config.invalid", all.join("\n"));
  // Each field of the shape was parsed by its own schema, or is undefined because nothing reads it.
  return Object.freeze(parsed) as ConfigOf<S>;
}

/** The unusable values that are accepted because nothing reads them, each with what is wrong and why it is ignored. */
export function ignoredValues(shape: ConfigShape, sources: ConfigSources): readonly string[] {
  const { parsed, unusable } = parseFields(shape, givenValues(shape, sources).values);
  return unusable
    .filter(({ readWith }) => isUnread(readWith, parsed))
    .map(({ problem, readWith = [] }) => {
      const switches = readWith.map((name) => `--${shape[name]?.meta.flag ?? name}`);
      return `${problem}. It is ignored: ${switches.join(", ")} are off`;
    });
}

type Parsed = Readonly<Record<string, unknown>>;

function isUnread(readWith: FieldMeta["readWith"], parsed: Parsed): boolean {
  return readWith?.every((name) => parsed[name] !== true) === true;
}

/** The parsed value of each field, and the problems of the others. */
function parseFields(shape: ConfigShape, values: ReadonlyMap<string, Given>) {
  const parsed: Record<string, unknown> = {};
  const unusable: { readonly problem: string; readonly readWith: FieldMeta["readWith"] }[] = [];
  for (const [name, { schema, meta }] of Object.entries(shape)) {
    const one = values.get(name);
    const { success, data, error } = schema.safeParse(one?.value);
    if (success) {
      parsed[name] = data;
      continue;
    }
    const says = error.issues.map((issue) => issue.message).join("; ");
    unusable.push({ problem: `${one?.label ?? `--${meta.flag}`}: ${says}`, readWith: meta.readWith });
  }
  return { parsed, unusable };
}

interface Given {
  /** A list flag has the text of each of its occurrences. */
  readonly value: string | readonly string[];
  /** The flag or variable with its value, as it was written. */
  readonly label: string;
}

/** The given text of each field, by the field's name. Fields with their default are absent. */
export function givenValues(
  shape: ConfigShape,
  { args, env }: ConfigSources,
): { readonly values: ReadonlyMap<string, Given>; readonly problems: readonly string[] } {
  const { flags, problems } = readFlags(shape, args);
  const values = new Map<string, Given>();
  for (const [name, { meta }] of Object.entries(shape)) {
    const given = flags.get(meta.flag) ?? fromEnv(meta, env);
    if (given !== undefined) values.set(name, given);
  }
  return { values, problems };
}

function readFlags(
  shape: ConfigShape,
  args: readonly string[],
): { flags: Map<string, Given>; problems: string[] } {
  const metas = flagSpellings(shape);
  const flags = new Map<string, Given>();
  const problems: string[] = [];
  let before: FlagBefore = { type: "none" };
  for (const token of tokensOf(metas, args)) {
    if (token.kind === "positional") {
      const problem = wordProblem(token.value, before);
      if (problem !== undefined) problems.push(problem);
      if (before.type === "switch") before = { type: "none" };
      continue;
    }
    if (token.kind !== "option") continue;
    const meta = metas.get(token.name);
    const isBareSwitch = token.value === undefined && meta?.isSwitch === true;
    before = asFlagBefore(token.rawName, meta, isBareSwitch);
    if (meta === undefined) {
      problems.push(`${token.rawName}: no such flag${suggestion(token.name, [...metas.keys()])}`);
      continue;
    }
    const text = isBareSwitch ? "true" : token.value;
    if (text === undefined) {
      problems.push(`${token.rawName}: a value is missing; write ${token.rawName}=${meta.placeholder}`);
      continue;
    }
    problems.push(...repeatProblems(meta, { rawName: token.rawName, text }, flags.get(meta.flag)));
    flags.set(meta.flag, withText(meta, token.rawName, text, flags.get(meta.flag)));
  }
  return { flags, problems };
}

/** The kind of word before a word that belongs to no flag. */
type FlagBefore =
  | { readonly type: "none" | "unknown" }
  | { readonly type: "secret"; readonly name: string }
  | { readonly type: "switch"; readonly name: string; readonly takes: string };

function asFlagBefore(name: string, meta: FieldMeta | undefined, isBareSwitch: boolean): FlagBefore {
  if (meta === undefined) return { type: "unknown" };
  if (isBareSwitch) return { type: "switch", name, takes: meta.placeholder };
  return meta.isSecret === true ? { type: "secret", name } : { type: "none" };
}

/** The words after an unknown or a secret flag are probably its value and may be a password, so they are not quoted. */
function wordProblem(word: string, before: FlagBefore): string | undefined {
  switch (before.type) {
    case "unknown":
      return undefined;
    case "secret":
      return `${before.name}: a word after its value (not shown) is not understood; put a value with spaces in quotes`;
    case "switch":
      return strayWord(word, before.name, before.takes);
    case "none":
      return strayWord(word, "", "BOOL");
  }
}

/** Every flag under each of its names. */
function flagSpellings(shape: ConfigShape): ReadonlyMap<string, FieldMeta> {
  return new Map(
    Object.values(shape).flatMap(({ meta }) =>
      [meta.flag, ...(meta.aliases ?? [])].map((name) => [name, meta] as const),
    ),
  );
}

function tokensOf(metas: ReadonlyMap<string, FieldMeta>, args: readonly string[]) {
  const options = Object.fromEntries(
    [...metas].map(([name, meta]) => [
      name,
      { type: meta.isSwitch === true ? ("boolean" as const) : ("string" as const), multiple: true },
    ]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** The problem of a flag that is given twice with different values, of which only one would count. */
function repeatProblems(
  meta: FieldMeta,
  { rawName, text }: { readonly rawName: string; readonly text: string },
  before: Given | undefined,
): readonly string[] {
  if (meta.isOnce !== true || before === undefined || before.value === text) return [];
  const given = `${rawName} ${shownValue(meta, text)}`;
  return [
    `${given}: it was given before, as ${before.label}; give one, and the other in a command of its own`,
  ];
}

/** The last occurrence of a flag counts; of a list flag all occurrences count. */
function withText(meta: FieldMeta, rawName: string, text: string, before: Given | undefined): Given {
  const label = `${rawName} ${shownValue(meta, text)}`;
  if (meta.isList !== true) return { value: text, label };
  return before === undefined
    ? { value: [text], label }
    : { value: [...before.value, text], label: `${before.label} ${label}` };
}

/** A switch before a separate `false` is refused. The peer turns it on and ignores the word. */
function strayWord(word: string, bareSwitch: string, takes: string): string {
  const isMeant = bareSwitch !== "" && (takes !== "BOOL" || /^(1|0|t|f|true|false)$/i.test(word));
  const mend = isMeant ? `write ${bareSwitch}=${word}` : "";
  return `${word}: not understood here; ${mend || "flags begin with --"}`;
}

/** Messages name the value, except a secret one. */
function shownValue(meta: FieldMeta, text: string): string {
  return meta.isSecret === true ? "(not shown)" : text;
}

function fromEnv(meta: FieldMeta, env: ConfigSources["env"]): Given | undefined {
  const text = env[meta.env];
  if (text === undefined || text === "") return undefined;
  return { value: meta.isList === true ? [text] : text, label: `${meta.env}=${shownValue(meta, text)}` };
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? "; --help lists them" : `; did you mean --${near}?`;
}
