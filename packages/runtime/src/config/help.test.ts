import { describe, expect, test } from "vitest";
import { type ConfigShape, fieldGroups } from "./field.ts";
import { dashboardFields } from "./fields/http-fields.ts";
import { unreadVariables } from "./fields/without-effect-fields.ts";
import { connectionFields, ruleFields, workerFields } from "./fields.ts";
import { helpText } from "./help.ts";
import { textValue } from "./types.ts";

const meta = { env: "FLEET_RELOADER_TEST", placeholder: "TEXT", description: "Only here." };
const shape: ConfigShape = {
  ...connectionFields,
  ...ruleFields,
  ...workerFields,
  ...dashboardFields,
  ungrouped: { schema: textValue(""), meta: { ...meta, flag: "two-names", aliases: ["Two-Names"] } },
};
const fields = Object.values(shape).map((field) => field.meta);

describe("the help", () => {
  const help = helpText("worker [flags]", shape);

  test("tells of every field its flag, its variable, its meaning and its default", () => {
    expect(help.startsWith("worker [flags]\n\n")).toBe(true);
    for (const { flag, env, description } of fields) {
      expect(help).toContain(`  --${flag}`);
      expect(help).toContain(`${env}; default: `);
      expect(help).toContain(description);
    }
    expect(help).toContain("FLEET_RELOADER_DEBOUNCE; default: 2s");
    expect(help).toContain("FLEET_RELOADER_LOG_LEVEL; default: info");
    expect(help).toContain("FLEET_RELOADER_CONTEXTS; default: the current context");
    expect(help).toContain("FLEET_RELOADER_TEST; default: none");
  });

  test("puts every flag under the heading of its group, and those without one at the end", () => {
    const headings = [...help.matchAll(/^(\S.*):$/gm)].map((match) => match[1]);
    const used = fieldGroups.filter((group) => fields.some((field) => field.group === group));
    expect(headings).toEqual([...used, "More", "Variables that are not read"]);
    expect(help).toMatch(/Log, probes and dashboard:\n( {2}.*\n)* {2}--log-format FORMAT\n/);
  });

  test("shows a switch without a value, and every spelling of a flag", () => {
    expect(help).toContain("  --auto-reload-all\n");
    expect(help).toContain("  --two-names TEXT, --Two-Names TEXT\n");
  });

  test("says which variables are not read, and why", () => {
    for (const { env, why } of unreadVariables) expect(help).toContain(`  ${env} ${why}.`);
  });
});

test("no two fields share a flag or a variable", () => {
  const flags = fields.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]);
  expect(new Set(flags).size).toBe(flags.length);
  expect(new Set(fields.map(({ env }) => env)).size).toBe(fields.length);
});
