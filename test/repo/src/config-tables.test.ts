import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { textValue } from "@fleet-reloader/runtime/config/types";
import { standaloneConfig } from "@fleet-reloader/standalone/config";
import { expect, test } from "vitest";
import { referenceTables } from "./config-tables.ts";

const meta = { env: "FLEET_RELOADER_TEST", placeholder: "TEXT", description: "Only here." };
const shape: ConfigShape = {
  ...standaloneConfig,
  ungrouped: { schema: textValue(""), meta: { ...meta, flag: "two-names", aliases: ["Two-Names"] } },
};
const fields = Object.values(shape).map((field) => field.meta);

test("the reference has a row of six cells for every field, with the peer's name", () => {
  const rows = referenceTables(shape)
    .split("\n")
    .filter((line) => line.startsWith("| `--"));
  expect(rows.map((row) => row.split("|").length)).toEqual(fields.map(() => 8));
  const flags = rows.map((row) => /^\| `--([A-Za-z-]+)`/.exec(row)?.[1] ?? "");
  expect(flags.toSorted()).toEqual(fields.map(({ flag }) => flag).toSorted());
  expect(rows.find((row) => row.includes("`--log-level`"))).toContain("| info | `--log-level` |");
  expect(rows.find((row) => row.includes("`--debounce`"))).toContain("| 2s | – |");
});
