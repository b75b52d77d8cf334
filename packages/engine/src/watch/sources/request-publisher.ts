import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { windowOf } from "../../observe/interest.ts";
import type { Meter } from "../../ports/meter.ts";
import {
  type Checkpoints,
  goneVersion,
  type ReferenceIndex,
  type SourceChange,
  type SourceVersion,
} from "../../ports/reference-index.ts";
import type { ClusterId } from "../../ports/request.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Addition, Workqueue } from "../../ports/workqueue.ts";
import type { SourcePublisher } from "./source-publisher.ts";

export interface RequestPublisherOptions {
  readonly cluster: ClusterId;
  /** The name of the cluster in metrics. */
  readonly name: string;
  readonly index: Pick<ReferenceIndex, "findChanged">;
  readonly checkpoints: Pick<Checkpoints, "markHandled" | "handledSources" | "forget">;
  readonly queue: Pick<Workqueue, "add">;
  readonly settings: Settings;
  readonly meter: Meter;
}

const atOnce = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "adoption" } as const;

/** Publishes a changed source as requests for the workloads that use it. */
export class RequestPublisher implements SourcePublisher {
  readonly #options: RequestPublisherOptions;

  constructor(options: RequestPublisherOptions) {
    this.#options = options;
  }

  async publish(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<readonly SourceChange[]> {
    const { index, checkpoints } = this.#options;
    const changed = await index.findChanged(sources);
    await this.#request(changed, mayAppear);
    // The queue holds the requests now. A crash before this line publishes them again.
    if (changed.length > 0) await checkpoints.markHandled(changed.map(({ source }) => source));
    return changed;
  }

  async remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    const { checkpoints, settings } = this.#options;
    return settings.reloadOnDelete ? await checkpoints.handledSources(kind, namespace) : [];
  }

  /**
   * Publishes deletions even where a deletion is no change: when the source comes back, pods that started without it have to be known. An
   * audit finds a source that was deleted unseen. A worker reads whether a source is really gone, or only no longer served.
   */
  async publishDeleted(sources: readonly SourceRef[]): Promise<void> {
    const { index, checkpoints } = this.#options;
    const gone = sources.map((ref) => ({ ref, resourceVersion: goneVersion }));
    await this.#request(await index.findChanged(gone), () => false);
    await checkpoints.forget(sources);
  }

  /**
   * Requests the workloads of changed sources. Workloads of a source that has appeared are reconciled at once: pods that waited for it
   * read it now, and its next change has to be compared with what they read. A roll still waits for the quiet period. A change of another
   * source takes precedence.
   */
  async #request(changed: readonly SourceChange[], mayAppear: (source: SourceRef) => boolean): Promise<void> {
    if (changed.length === 0) return;
    const { cluster, name, queue, meter } = this.#options;
    const additions = new Map<string, Addition>();
    for (const { source, isFirst, dependents } of changed) {
      const hasAppeared = isFirst && mayAppear(source.ref);
      for (const { workload, window } of dependents) {
        const key = workloadKey(workload);
        if (hasAppeared && additions.has(key)) continue;
        const due = hasAppeared ? atOnce : this.#whenQuiet(window);
        additions.set(key, { request: { cluster, workload }, ...due });
      }
    }
    await queue.add([...additions.values()]);
    meter.requestsPublished(name, additions.size);
  }

  #whenQuiet(window: SourceChange["dependents"][number]["window"]) {
    return { ...windowOf(window, this.#options.settings), purpose: "change" as const };
  }
}
