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
  const remember = (key: string, version: string | undefined): void => {
    if (version === undefined) seen.delete(key);
    else seen.set(key, version);
  };
  const resolve = async (live: LiveWorkload): Promise<LiveWorkload> => {
    const resolved = await withTemplate(live);
    if (resolved !== live) seen.set(workloadKey(live.ref), resourceVersionOf(live));
    return resolved;
  };

  return {
    listBegins() {
      seen.clear();
      handler.listBegins();
    },
    page: async (workloads) => handler.page(await Promise.all(workloads.map(resolve))),
    listed: () => handler.listed(),
    async events(events) {
      const fresh: StreamEvent<LiveWorkload>[] = [];
      /** The version of each workload of these events; undefined: none is to be remembered. */
      const versions = new Map<string, string | undefined>();
      for (const { type, object } of events) {
        const key = workloadKey(object.ref);
        const version = resourceVersionOf(object);
        const before = versions.has(key) ? versions.get(key) : seen.get(key);
        if (type === "upsert" && before === version) continue;
        const resolved = type === "delete" ? object : await withTemplate(object);
        versions.set(key, resolved === object ? undefined : version);
        fresh.push({ type, object: resolved });
      }
      if (fresh.length > 0) await handler.events(fresh);
      // After a failure the same events come again, and all of them have to be handed over.
      for (const [key, version] of versions) remember(key, version);
    },
  };
}

function resourceVersionOf({ generation, annotations, object }: LiveWorkload): string {
  const observed = jsonField(object, "status", "workloadObservedGeneration");
  return JSON.stringify([generation, annotations, observed]);
}
