import type { Clock } from "../async/clock.ts";
import type { StreamState } from "../ports/source-stream.ts";

export interface FirstListsOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The first list of one stream. */
export interface FirstList {
  listed(): void;
  noteState(state: StreamState): void;
}

/** Two full back-offs of a list. */
export const listPatienceMs = 60_000;

/**
 * Waits for the first lists of the workloads of a cluster, before work that needs them. It does not wait for a kind that we may not see
 * or that does not exist. It does not wait long for a kind whose list fails while that of another succeeds: an aggregated API server may
 * be away, or a conversion webhook broken, for days. Where every list fails it waits: the whole cluster is away, and comes back as a
 * whole.
 */
export class FirstLists {
  readonly #options: FirstListsOptions;
  readonly #lists: Promise<void>[] = [];
  readonly #some = Promise.withResolvers<void>();

  constructor(options: FirstListsOptions) {
    this.#options = options;
  }

  /** Resolves when each list is complete, impossible or late. */
  async over(): Promise<void> {
    await Promise.all(this.#lists);
  }

  add(): FirstList {
    const over = Promise.withResolvers<void>();
    this.#lists.push(over.promise);
    let isFailing = false;
    let patience: "whole" | "ending" | "over" = "whole";
    const wait = async (): Promise<void> => {
      patience = "ending";
      await this.#some.promise;
      await this.#options.clock.sleep(listPatienceMs, this.#options.signal).catch(() => undefined);
      patience = "over";
      // A list under way may be a large one, so it is waited for until it fails.
      if (isFailing) over.resolve();
    };
    return {
      listed: () => {
        this.#some.resolve();
        over.resolve();
      },
      noteState: (state) => {
        isFailing = state === "backoff";
        if (isFailing && patience === "whole") void wait();
        const isLate = isFailing && patience === "over";
        if (isLate || state === "blocked" || state === "absent") over.resolve();
      },
    };
  }
}
