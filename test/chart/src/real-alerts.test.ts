import { expect, test } from "vitest";
import { alertRules } from "../../../infra/signals/alert-rules.ts";
import { rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";

test("the chart creates the alerts on request, and by default none", async () => {
  const values = { fleetReloader: { prometheusRule: { enabled: true, labels: { release: "prometheus" } } } };
  const rule = the(await rendered({ values }), "PrometheusRule");
  // Braces of Prometheus stay as they are.
  expect(at(rule, "spec")).toEqual(alertRules());
  expect(at(rule, "metadata", "labels", "release")).toBe("prometheus");
  expect(at(rule, "metadata", "namespace")).toBe("tools");
  const others = (await rendered({})).map(({ kind }) => kind);
  expect(others).not.toContain("PrometheusRule");
});

test.each(["ServiceMonitor", "PodMonitor"] as const)("the labels of a %s may replace ours", async (kind) => {
  const monitor = { enabled: true, labels: { release: "prometheus" } };
  const values = { reloader: { serviceMonitor: monitor, podMonitor: monitor } };
  const made = the(await rendered({ values, apiVersions: ["monitoring.coreos.com/v1"] }), kind);
  expect(at(made, "metadata", "labels")).toMatchObject({ release: "prometheus", app: "reloader-reloader" });
});
