import type { AlertScenario } from "./alert-scenarios.ts";

/** The unit tests of promtool for these scenarios: an alert is quiet before, fires with its words, and ends. */
export function promtoolTests(ruleFile: string, scenarios: Readonly<Record<string, AlertScenario>>): object {
  return {
    rule_files: [ruleFile],
    evaluation_interval: "1m",
    tests: Object.entries(scenarios).map(([name, scenario]) => ({
      name,
      interval: "1m",
      input_series: Object.entries(scenario.series).map(([series, values]) => ({ series, values })),
      alert_rule_test: [
        { eval_time: `${scenario.quietAt}m`, alertname: name, exp_alerts: [] },
        { eval_time: `${scenario.firesAt}m`, alertname: name, exp_alerts: [expected(name, scenario)] },
        { eval_time: `${scenario.endedAt}m`, alertname: name, exp_alerts: [] },
      ],
    })),
  };
}

function expected(name: string, { labels, summary }: AlertScenario): object {
  const runbook = `docs/operate/runbooks.md#${name.toLowerCase()}`;
  return { exp_labels: labels, exp_annotations: { summary, runbook } };
}
