import * as z from "zod";
import { type ConfigShape, type FieldMeta, fieldGroups } from "./field.ts";
import { unreadVariables } from "./fields/without-effect-fields.ts";

type Field = ConfigShape[string];

/** The text of `--help` of a service, from the schema. */
export function helpText(usage: string, shape: ConfigShape): string {
  const unread = unreadVariables.map(({ env, why }) => `  ${env} ${why}.`).join("\n");
  return `${usage}

A flag overrides its variable, and a variable overrides the default. Separate the items of a list by commas, or repeat
the flag. Put an item that contains a comma in double quotes.

${flagsHelp(shape, "More")}

Variables that are not read:
${unread}
`;
}

/** All flags by their groups; those without a group are under the given heading. */
export function flagsHelp(shape: ConfigShape, heading: string): string {
  return groupedFields(shape, heading)
    .map(({ title, fields }) => `${title}:\n${fields.map(helpOf).join("\n")}`)
    .join("\n\n");
}

function helpOf({ schema, meta }: Field): string {
  const value = meta.isSwitch === true ? "" : ` ${meta.placeholder}`;
  const names = flagNames(meta).map((name) => `${name}${value}`);
  const source = `${meta.env}; default: ${defaultOf(schema, meta.defaultText)}`;
  return `  ${names.join(", ")}\n        ${meta.description}\n        ${source}`;
}

/** All spellings of a flag with their dashes. A single letter has one. */
export function flagNames({ flag, aliases = [] }: FieldMeta): readonly string[] {
  return [flag, ...aliases].map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
}

interface Group {
  readonly title: string;
  readonly fields: readonly Field[];
}

/** The groups that have fields, in their order; fields without one come last. */
export function groupedFields(shape: ConfigShape, heading: string): readonly Group[] {
  const fields = Object.values(shape);
  const inGroup = (group: FieldMeta["group"]) => fields.filter(({ meta }) => meta.group === group);
  return [
    ...fieldGroups.map((title) => ({ title, fields: inGroup(title) })),
    { title: heading, fields: inGroup(undefined) },
  ].filter((group) => group.fields.length > 0);
}

/** The default of a field in words, as the help and the reference show it. */
export function defaultOf(schema: z.ZodType, defaultText: string | undefined): string {
  if (defaultText !== undefined) return defaultText;
  const json: unknown = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const value = typeof json === "object" && json !== null && "default" in json ? json.default : undefined;
  if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
