import { alerts } from "./alerts.ts";
import type { Alert } from "./signal.ts";

/** A page of this repository: no copy of it is published. */
const runbooks = "docs/operate/runbooks.md";

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: Alert["severity"] };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

/**
 * The alerts as rules of Prometheus.
 *
 * @param secondsPerMinute 60, or fewer where a test lets a minute pass faster.
 */
export function alertRules(secondsPerMinute = 60): RuleGroups {
  const rules = alerts.map((alert) => ruleOf(alert, secondsPerMinute));
  return { groups: [{ name: "fleet-reloader", rules }] };
}

function ruleOf(alert: Alert, secondsPerMinute: number): AlertRule {
  const { name, expression, forMinutes, severity, summary, windowMinutes = 0 } = alert;
  const window = promDuration(windowMinutes * secondsPerMinute);
  const lasts = forMinutes === 0 ? {} : { for: promDuration(forMinutes * secondsPerMinute) };
  return {
    alert: name,
    expr: expression.replaceAll("$window", window),
    ...lasts,
    labels: { severity },
    annotations: { summary, runbook: `${runbooks}#${name.toLowerCase()}` },
  };
}

function promDuration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
