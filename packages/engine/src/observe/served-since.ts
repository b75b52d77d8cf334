import { appliedTexts } from "@fleet-reloader/domain/applied/applied-annotation";
import { type Served, servedOf } from "@fleet-reloader/domain/applied/applied-state";
import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import type { Clock } from "../async/clock.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { IndexSession } from "../ports/reference-index.ts";
import type { Settings } from "../ports/settings.ts";
import { servedAs } from "./served.ts";

export interface ServedSinceOptions {
  readonly workloadKind: string;
  readonly namespace: string | undefined;
  readonly session: Pick<IndexSession, "served" | "serve">;
  readonly settings: Settings;
  readonly clock: Clock;
  /** The API server's time now, from `ClusterStreams`. */
  readonly serverSeconds: () => number | undefined;
}

/**
 * Keeps since when the workloads of one stream are served: anything that was live before is no change. It is the time of the very first
 * list. If Redis has lost it, it is restored from an applied state that was written under the same settings on any workload.
 */
export class ServedSince {
  readonly #options: ServedSinceOptions;
  readonly #as: string;
  /** A record under this name includes our stream: all namespaces were served. Streams of one namespace once had this name, too. */
  readonly #asAll: string;
  #listBeganAt = 0;
  #restoredSeconds = Number.POSITIVE_INFINITY;

  constructor(options: ServedSinceOptions) {
    this.#options = options;
    this.#as = servedAs(options.settings, options.namespace);
    this.#asAll = servedAs(options.settings, undefined);
  }

  listBegins(): void {
    this.#listBeganAt = this.#options.clock.monotonic();
    this.#restoredSeconds = Number.POSITIVE_INFINITY;
  }

  page(workloads: readonly LiveWorkload[]): void {
    for (const { annotations } of workloads) {
      for (const text of appliedTexts(annotations)) {
        const served = servedOf(text);
        if (served !== undefined && this.#isOurs(served))
          this.#restoredSeconds = Math.min(this.#restoredSeconds, served.sinceSeconds);
      }
    }
  }

  async listed(): Promise<void> {
    const { session, workloadKind, namespace } = this.#options;
    const stream = streamName(workloadKind, namespace);
    const before = await session.served(stream);
    if (before?.as === this.#as) return;
    if (before !== undefined && this.#isOurs(before)) {
      const sinceSeconds = Math.min(before.sinceSeconds, this.#restoredSeconds);
      await session.serve(stream, { ...before, as: this.#as, sinceSeconds });
      return;
    }
    const isRestored = before === undefined && this.#restoredSeconds !== Number.POSITIVE_INFINITY;
    const sinceSeconds = isRestored ? this.#restoredSeconds : this.#began();
    await session.serve(stream, { as: this.#as, sinceSeconds, isRestored });
  }

  #isOurs({ as }: Served): boolean {
    return as === this.#as || as === this.#asAll;
  }

  /** When the list began, by the API server's clock. */
  #began(): number {
    const { clock, serverSeconds } = this.#options;
    const now = serverSeconds() ?? Math.floor(clock.now() / 1000);
    return Math.floor(now - (clock.monotonic() - this.#listBeganAt) / 1000);
  }
}
