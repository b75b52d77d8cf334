import { z } from "zod";
import type { ConfigShape } from "./field.ts";

/** The text of `--help`, from the schema. */
export function helpText(usage: string, shape: ConfigShape): string {
  const rows = Object.values(shape).map(({ schema, meta }) => {
    const flag = meta.isSwitch === true ? `--${meta.flag}` : `--${meta.flag} ${meta.placeholder}`;
    return `  ${flag}\n        ${meta.description}\n        ${meta.env}; default: ${defaultOf(schema, meta.defaultText)}`;
  });
  return `${usage}\n\nFlags:\n${rows.join("\n")}\n`;
}

/** The reference table of `docs/reference/config.md`, from the schema. */
export function referenceTable(shape: ConfigShape): string {
  const rows = Object.values(shape).map(
    ({ schema, meta }) =>
      `| \`--${meta.flag}\` | \`${meta.env}\` | ${meta.placeholder} | ${defaultOf(schema, meta.defaultText)} | ${meta.description} |`,
  );
  return ["| Flag | Variable | Value | Default | Meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}

function defaultOf(schema: z.ZodType, defaultText: string | undefined): string {
  if (defaultText !== undefined) return defaultText;
  const json: unknown = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const value = typeof json === "object" && json !== null && "default" in json ? json.default : undefined;
  return value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
}
