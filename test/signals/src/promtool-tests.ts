import type { AlertScenario } from "./alert-scenarios.ts";

/** The unit tests of promtool for these scenarios: an alert is quiet before, fires with its words, and ends. */
export function promtoolTests(ruleFile: string, scenarios: Readonly<Record<string, AlertScenario>>): object {
  const tests = Object.entries(scenarios).map(([name, scenario]) =>
    unitTest(name, scenario.series, [
      quiet(name, scenario.quietAt),
      { eval_time: `${scenario.firesAt}m`, alertname: name, exp_alerts: [expected(name, scenario)] },
      quiet(name, scenario.endedAt),
    ]),
  );
  return testFile(ruleFile, tests);
}

/** An alert that does not fire at any of these minutes. */
export function quietTests(ruleFile: string, calm: Calm): object {
  const at = calm.minutes.map((minute) => quiet(calm.name, minute));
  return testFile(ruleFile, [unitTest(calm.name, calm.series, at)]);
}

interface Calm {
  readonly name: string;
  readonly series: AlertScenario["series"];
  readonly minutes: readonly number[];
}

function testFile(ruleFile: string, tests: readonly object[]): object {
  return { rule_files: [ruleFile], evaluation_interval: "1m", tests };
}

function unitTest(name: string, series: AlertScenario["series"], at: readonly object[]): object {
  const shown = Object.entries(series).map(([its, values]) => ({ series: its, values }));
  return { name, interval: "1m", input_series: shown, alert_rule_test: at };
}

function quiet(name: string, minute: number): object {
  return { eval_time: `${minute}m`, alertname: name, exp_alerts: [] };
}

function expected(name: string, { labels, summary }: AlertScenario): object {
  const runbook = `docs/operate/runbooks.md#${name.toLowerCase()}`;
  return { exp_labels: labels, exp_annotations: { summary, runbook } };
}
