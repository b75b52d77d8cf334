import { describe, expect, test } from "vitest";
import { connectionFields, dashboardFields, ruleFields, workerFields } from "./fields.ts";
import { helpText, referenceTable } from "./help.ts";

const shape = { ...connectionFields, ...ruleFields, ...workerFields, ...dashboardFields };
const fields = Object.values(shape).map(({ meta }) => meta);

describe("the help", () => {
  test("tells of every field its flag, its variable, its meaning and its default", () => {
    const help = helpText("worker [flags]", shape);
    expect(help.startsWith("worker [flags]\n\nFlags:\n")).toBe(true);
    for (const { flag, env, description } of fields) {
      expect(help).toContain(`  --${flag}`);
      expect(help).toContain(`${env}; default: `);
      expect(help).toContain(description);
    }
    expect(help).toContain("FLEET_RELOADER_DEBOUNCE; default: 2s");
    expect(help).toContain("FLEET_RELOADER_LOG_LEVEL; default: info");
    expect(help).toContain("FLEET_RELOADER_CONTEXTS; default: the current context");
  });

  test("a switch is shown without a value", () => {
    expect(helpText("worker", shape)).toContain("  --auto-reload-all\n");
  });
});

test("the reference table has a row of five cells for every field", () => {
  const [head, rule, ...rows] = referenceTable(shape).split("\n");
  expect(head).toBe("| Flag | Variable | Value | Default | Meaning |");
  expect(rule).toBe("|---|---|---|---|---|");
  expect(rows.map((row) => row.split("|").length)).toEqual(fields.map(() => 7));
  expect(rows.map((row) => /^\| `--([a-z-]+)` \|/.exec(row)?.[1])).toEqual(fields.map(({ flag }) => flag));
});

test("no two fields share a flag or a variable", () => {
  expect(new Set(fields.map(({ flag }) => flag)).size).toBe(fields.length);
  expect(new Set(fields.map(({ env }) => env)).size).toBe(fields.length);
});
