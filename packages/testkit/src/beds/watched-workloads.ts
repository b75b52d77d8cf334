import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { WorkloadWatch } from "@fleet-reloader/engine/watch/workload-watch";
import { auto, createTestBed, stateAnnotation, type TestBedOptions } from "./test-bed.ts";

export type TemplateUses = Parameters<typeof templateUsing>[0];

export const noted = { ...auto, [stateAnnotation]: '{"v":1,"key":"k1","sources":{}}' };

/** The watch of the Deployments of one cluster, with the calls that it makes. */
export async function watchedWorkloads(options: Pick<TestBedOptions, "shown"> = {}) {
  const calls: string[] = [];
  let failing = "";
  const before = (call: string) => {
    calls.push(call);
    if (call !== failing) return;
    failing = "";
    throw new Error(`${call} failed`);
  };
  const bed = createTestBed({ ...options, beforeIndex: before, beforeQueue: before });
  await bed.index.open();
  let lists = 0;
  const onListed = () => {
    lists += 1;
  };
  const start = () =>
    new WorkloadWatch({
      ...bed,
      ...{ cluster: "c1", kind: deployment, namespace: undefined, onListed, shown: options.shown },
    });
  let watch = start();
  const live = (ref: WorkloadRef) => {
    const workload = bed.cluster.workload(ref);
    if (workload === undefined) throw new Error(`${ref.name} is gone`);
    return workload;
  };
  calls.length = 0;
  return {
    ...bed,
    calls,
    get watch() {
      return watch;
    },
    /** The process was killed; what it knew is gone, the index is not. */
    restart: () => {
      watch = start();
    },
    live,
    lists: () => lists,
    /** The next call of this name fails, once. */
    fail: (call: string) => {
      failing = call;
    },
    deployment: (
      name: string,
      annotations: Readonly<Record<string, string | null>>,
      uses: TemplateUses = { app: {} },
    ) => {
      const { [stateAnnotation]: text, ...own } = annotations;
      const ref = bed.cluster.setWorkload(name, { template: templateUsing(uses), annotations: own });
      if (text !== undefined)
        bed.cluster.setWorkload(name, { annotations: { [stateAnnotation]: text }, manager: fieldManager });
      return ref;
    },
    upsert: (ref: WorkloadRef) => watch.events([{ type: "upsert", object: live(ref) }]),
    /** Names of the workloads asked for since the last look. */
    asked: () => bed.queue.additions.splice(0).map(({ request }) => request.workload.name),
  };
}
