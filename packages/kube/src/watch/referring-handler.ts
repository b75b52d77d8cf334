import { jsonField } from "@fleet-reloader/domain/json";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";

/**
 * Hands on workloads that refer to another object for their template together with that template. It is read again when the
 * workload is different, or its controller has seen another generation of the template; other events say nothing new.
 */
export function referringHandler(
  handler: StreamHandler<LiveWorkload>,
  withTemplate: (live: LiveWorkload) => Promise<LiveWorkload>,
): StreamHandler<LiveWorkload> {
  /** What was handed on last of each workload that refers to another. */
  const seen = new Map<string, string>();
  const resolve = async (live: LiveWorkload): Promise<LiveWorkload> => {
    const resolved = await withTemplate(live);
    if (resolved !== live) seen.set(workloadKey(live.ref), versionOf(live));
    return resolved;
  };
  const isNew = ({ type, object }: StreamEvent<LiveWorkload>): boolean =>
    type === "delete" || seen.get(workloadKey(object.ref)) !== versionOf(object);

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
    stateChanged: (state, why) => handler.stateChanged(state, why),
  };
}

function versionOf({ generation, annotations, object }: LiveWorkload): string {
  const observed = jsonField(object, "status", "workloadObservedGeneration");
  return JSON.stringify([generation, annotations, observed]);
}
