import { collectDefaultMetrics, Registry } from "prom-client";

/**
 * Metrics of the process only, for a process that measures nothing of the product: zeros would look like results, and hide that other processes
 * are down.
 */
export function createProcessMetrics(): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return () => registry.metrics();
}
