import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { Delivery } from "@fleet-reloader/engine/ports/workqueue";
import type { ClusterCall } from "../memory/memory-calls.ts";
import { auto, createTestBed, outcomeOf, stateAnnotation, type TestBedOptions } from "./test-bed.ts";

/** Says which pods are those of the workload. */
export const podSelector = { spec: { selector: { matchLabels: { app: "app" } } } };

/** A Deployment that was made after we came, and whose ConfigMap was changed 10 s later; nobody has looked at it. */
export async function unrecordedDeployment(options: TestBedOptions = {}, fields: object = podSelector) {
  const bed = createTestBed({ engagedAtSeconds: 0, ...options });
  await bed.index.open();
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  await bed.clock.advance(10_000);
  const change = { template: templateUsing({ app: {} }), annotations: auto, fields };
  const api = bed.cluster.setWorkload("api", change);
  const madeAt = bed.serverSeconds();
  await bed.clock.advance(10_000);
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  const changedAt = bed.serverSeconds();
  await bed.clock.advance(10_000);
  const request = { cluster: "c1", workload: api };
  return {
    ...{ ...bed, api, request, madeAt, changedAt },
    observation: async (delivery: Partial<Delivery> = {}) => outcomeOf(await bed.reconcile(api, delivery)),
    show: () =>
      bed.index.put([
        {
          ...{ workload: api, sources: ["ConfigMap/ns/app"], patterns: [], scope: "", window: {} },
          seen: { uid: bed.cluster.workload(api)?.uid ?? "", resourceVersion: "1", atSeconds: madeAt },
        },
      ]),
    appliedTextOf: () => bed.cluster.workload(api)?.annotations[stateAnnotation],
    listed: () => podLists(bed.cluster.calls),
  };
}

/** How often pods were listed. */
export function podLists(calls: readonly ClusterCall[]): number {
  return calls.filter(({ verb, target }) => verb === "list" && target.startsWith("Pod/")).length;
}
