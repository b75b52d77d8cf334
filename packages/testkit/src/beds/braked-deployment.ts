import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { HoldReport } from "@fleet-reloader/engine/ports/reporter";
import type { Result } from "@fleet-reloader/engine/ports/request";
import { silentReporter } from "./silent-reporter.ts";
import { auto, createTestBed, type TestBedOptions } from "./test-bed.ts";

/** A Deployment that reads a ConfigMap, adopted; its ConfigMap has changed since. */
export async function changedDeployment(options: TestBedOptions = {}) {
  const told: HoldReport[] = [];
  const reporter = silentReporter({ held: (report) => told.push(report) });
  const bed = createTestBed({ reporter, ...options });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const template = templateUsing({ app: {} });
  const api = bed.cluster.setWorkload("api", { template, annotations: auto });
  await bed.clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  const edit = (value: string, annotations = {}) =>
    bed.cluster.setSource("ConfigMap", "app", { a: value }, annotations);
  edit("2");
  return { ...bed, api, edit, template, told, run: async () => await bed.reconcile(api) };
}

/** Why the request is on hold; undefined when it is not. */
export function holdOf(result: Result) {
  return result.type === "again" ? result.hold?.reason : undefined;
}
