import { collectDefaultMetrics, Registry } from "prom-client";

/** Metrics of the process alone, for one that measures nothing of the product: its zeros would read as findings, and hide that others are down. */
export function createProcessMetrics(): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return () => registry.metrics();
}
