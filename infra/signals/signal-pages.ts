import { stringify } from "yaml";
import { alertRules } from "./alert-rules.ts";
import { dashboard } from "./dashboard.ts";

const made = "# Made by `./dev generate` from infra/signals/alerts.ts.\n";

/** Dashboard and alerts that are made from the list of metrics: path in the repository → text. */
export function signalPages(): ReadonlyMap<string, string> {
  const rules = alertRules();
  const manifest = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "fleet-reloader", labels: { "app.kubernetes.io/name": "fleet-reloader" } },
    spec: rules,
  };
  return new Map([
    ["infra/grafana/fleet-reloader.json", `${JSON.stringify(dashboard(), undefined, 2)}\n`],
    ["infra/alerts/fleet-reloader.yaml", made + stringify(manifest, { lineWidth: 0 })],
    // The chart adds name and labels of the release.
    ["infra/helm/fleet-reloader/files/alert-rules.yaml", made + stringify(rules, { lineWidth: 0 })],
  ]);
}
