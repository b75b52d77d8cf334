import { type SourceKind, sourceKey } from "@fleet-reloader/domain/source";
import { windowOf } from "./interest.ts";
import type { Meter } from "./meter.ts";
import type { ReferenceIndex, SourceVersion } from "./reference-index.ts";
import type { ClusterId } from "./request.ts";
import type { Settings } from "./settings.ts";
import type { StreamHandler, StreamState } from "./source-stream.ts";
import type { Addition, Workqueue } from "./workqueue.ts";

export interface SourceWatchOptions {
  readonly cluster: ClusterId;
  /** What people call the cluster, for metrics. */
  readonly name: string;
  readonly kind: SourceKind;
  readonly index: ReferenceIndex;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly meter: Meter;
  readonly onListed: () => void;
  readonly onState: (state: StreamState, why: string) => void;
}

/**
 * Turns what a list or watch shows of one kind of source into requests for the workloads that use it. A list and an event
 * are treated alike: what matters is whether the version is the one handled last. Nothing is kept in memory.
 */
export function createSourceWatch(options: SourceWatchOptions): StreamHandler<SourceVersion> {
  const { cluster, name, kind, index, queue, settings, meter } = options;

  return {
    listBegins() {
      // Nothing is kept between lists: the checkpoint is in the index.
    },
    page: (sources) => take(sources, "listed"),
    async listed() {
      options.onListed();
    },
    async events(events) {
      const latest = [...new Map(events.map((event) => [sourceKey(event.object.ref), event])).values()];
      const gone = latest.filter((event) => event.type === "delete").map((event) => event.object.ref);
      if (gone.length > 0) {
        meter.sourcesSeen(name, kind, gone.length, "deleted");
        await index.forget(gone);
        meter.sourcesCompared(name, kind, gone.length);
      }
      const changed = latest.filter((event) => event.type === "upsert").map((event) => event.object);
      await take(changed, "changed");
    },
    stateChanged: options.onState,
  };

  async function take(sources: readonly SourceVersion[], how: "listed" | "changed"): Promise<void> {
    if (sources.length === 0) return;
    meter.sourcesSeen(name, kind, sources.length, how);
    await publish(sources);
    meter.sourcesCompared(name, kind, sources.length);
  }

  async function publish(sources: readonly SourceVersion[]): Promise<void> {
    const changed = await index.findChanged(sources);
    if (changed.length === 0) return;
    const additions = new Map<string, Addition>();
    for (const { dependents } of changed) {
      for (const { workload, window } of dependents) {
        additions.set(`${workload.kind}/${workload.namespace}/${workload.name}`, {
          request: { cluster, workload },
          ...windowOf(window, settings),
          purpose: "change",
        });
      }
    }
    await queue.add([...additions.values()]);
    meter.requestsPublished(name, additions.size);
    // Only after the queue holds them: a crash in between means the same again, never nothing.
    await index.markHandled(changed.map(({ source }) => source));
  }
}
