import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { alertRules } from "../../../infra/signals/alert-rules.ts";
import { alerts } from "../../../infra/signals/alerts.ts";
import { type AlertScenario, alertScenarios } from "./alert-scenarios.ts";
import { firstRises } from "./first-rises.ts";
import { ensureSignalTool } from "./go-tools.ts";
import { promtoolTests, quietTests } from "./promtool-tests.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-alerts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ruleFile = join(folder, "rules.yaml");
let promtool = "";
beforeAll(async () => {
  promtool = await ensureSignalTool("promtool");
  writeFileSync(ruleFile, stringify(alertRules()));
});

/** What promtool says; its exit code is the verdict. */
async function judge(args: readonly string[]): Promise<{ readonly isGood: boolean; readonly says: string }> {
  return await promisify(execFile)(promtool, [...args]).then(
    ({ stdout, stderr }) => ({ isGood: true, says: stdout + stderr }),
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      if (error.stdout === undefined) throw error;
      return { isGood: false, says: `${error.stdout}${error.stderr ?? ""}` };
    },
  );
}

async function judgeScenario(name: string, scenario: AlertScenario) {
  return await judgeTests(name, promtoolTests(ruleFile, { [name]: scenario }));
}

async function judgeTests(name: string, tests: object) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify(tests));
  return await judge(["test", "rules", file]);
}

test("promtool accepts every rule", async () => {
  const { isGood, says } = await judge(["check", "rules", "--lint=all", "--lint-fatal", ruleFile]);
  expect(isGood, says).toBe(true);
  expect(says).toContain(`${alerts.length} rules found`);
});

test("every alert has a scenario, and every scenario an alert", () => {
  expect(Object.keys(alertScenarios).toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
});

test.each(Object.entries(alertScenarios))(
  "%s fires in its scenario and ends after it",
  async (name, scenario) => {
    const { isGood, says } = await judgeScenario(name, scenario);
    expect(isGood, says).toBe(true);
  },
);

test("each alert that counts over a window has series whose first sample has risen", () => {
  const counting = alerts.filter(({ windowMinutes }) => windowMinutes !== undefined);
  expect(Object.keys(firstRises).toSorted()).toEqual(counting.map(({ name }) => name).toSorted());
});

test.each(Object.entries(firstRises))("%s fires for a series that is new", async (name, series) => {
  const scenario = alertScenarios[name];
  if (scenario === undefined) throw new Error(`${name} has no scenario`);
  const { isGood, says } = await judgeScenario(name, { ...scenario, series });
  expect(isGood, says).toBe(true);
});

test.each(["5x10 _x50 5x60", "5x10 stale _x50 5x60"])(
  "a counter is not new after a Prometheus that was away: %s",
  async (values) => {
    const name = "FleetReloaderLooping";
    const series = { 'fleet_reloader_holds_total{cluster="nova",reason="SourceLooping"}': values };
    // Before that a window has to pass: what is there at the first sample counts as new.
    const minutes = Array.from({ length: 100 }, (_, at) => at + 16);
    const { isGood, says } = await judgeTests(name, quietTests(ruleFile, { name, series, minutes }));
    expect(isGood, says).toBe(true);
  },
);

test("a scenario that the alert does not fire in is refused", async () => {
  const calm = Object.values(alertScenarios)[1];
  if (calm === undefined) throw new Error("there is no scenario");
  const name = "FleetReloaderFreezesUnreadable";
  const { isGood } = await judgeScenario(name, {
    ...calm,
    series: { fleet_reloader_freezes_readable: "1x40" },
  });
  expect(isGood).toBe(false);
});
