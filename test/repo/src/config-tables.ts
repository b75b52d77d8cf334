import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { defaultOf, flagNames, groupedFields } from "@fleet-reloader/runtime/config/help";

/** The tables of `docs/reference/config.md`, from the schema: one for each group. */
export function referenceTables(shape: ConfigShape): string {
  const tables = groupedFields(shape, "More").map(({ title, fields }) =>
    [
      `## ${title}`,
      "",
      "| Flag | Variable | Value | Default | Stakater Reloader | Meaning |",
      "|---|---|---|---|---|---|",
      ...fields.map(rowOf),
    ].join("\n"),
  );
  return tables.join("\n\n");
}

function rowOf({ schema, meta }: ConfigShape[string]): string {
  const flags = flagNames(meta)
    .map((name) => `\`${name}\``)
    .join(", ");
  const cells = [
    flags,
    `\`${meta.env}\``,
    meta.placeholder,
    defaultOf(schema, meta.defaultText),
    meta.peer === undefined ? "–" : `\`${meta.peer}\``,
    meta.description,
  ];
  return `| ${cells.join(" | ")} |`;
}
