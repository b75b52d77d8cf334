import { jsonField } from "@fleet-reloader/domain/json";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";

/**
 * Adds the template to workloads that refer to another object for it. The template is read again when the workload changed
 * or its controller observed another generation of the template. Other events are dropped.
 */
export function referringHandler(
  handler: StreamHandler<LiveWorkload>,
  withTemplate: (live: LiveWorkload) => Promise<LiveWorkload>,
): StreamHandler<LiveWorkload> {
  /** The version of each referring workload that the handler was given last. */
  const seen = new Map<string, string>();
  const resolve = async (live: LiveWorkload): Promise<LiveWorkload> => {
    const resolved = await withTemplate(live);
    if (resolved !== live) seen.set(workloadKey(live.ref), resourceVersionOf(live));
    return resolved;
  };
  const isNew = ({ type, object }: StreamEvent<LiveWorkload>): boolean =>
    type === "delete" || seen.get(workloadKey(object.ref)) !== resourceVersionOf(object);

  return {
    listBegins() {
      seen.clear();
      handler.listBegins();
    },
    page: async (workloads) => handler.page(await Promise.all(workloads.map(resolve))),
    listed: () => handler.listed(),
    async events(events) {
      const fresh: StreamEvent<LiveWorkload>[] = [];
      for (const event of events.filter(isNew)) {
        const { type, object } = event;
        if (type === "delete") seen.delete(workloadKey(object.ref));
        fresh.push(type === "delete" ? event : { type, object: await resolve(object) });
      }
      if (fresh.length > 0) await handler.events(fresh);
    },
  };
}

function resourceVersionOf({ generation, annotations, object }: LiveWorkload): string {
  const observed = jsonField(object, "status", "workloadObservedGeneration");
  return JSON.stringify([generation, annotations, observed]);
}
