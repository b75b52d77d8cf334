import { endedReason } from "@fleet-reloader/engine/async/linked-abort";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import type { ClusterStreams } from "@fleet-reloader/engine/watch/cluster-streams";
import { ClusterWatcher, type ClusterWatcherOptions } from "@fleet-reloader/engine/watch/cluster-watcher";
import type { MemoryReferenceIndex } from "../memory/memory-reference-index.ts";
import type { Mutation } from "./mutation.ts";

type Parts = Pick<
  ClusterWatcherOptions,
  "queue" | "log" | "clock" | "settings" | "names" | "meter" | "shown" | "auditIntervalMs"
>;

export interface SimulatedWatcherOptions extends Parts {
  readonly streams: ClusterStreams;
  readonly index: MemoryReferenceIndex;
  readonly mutation: Mutation;
  /** How many writes there are. */
  readonly begunAt: number;
}

/** A watcher said that it is ready: what was there when it began has been looked at. */
export interface Readiness {
  /** Counts of writes of the API server. */
  readonly begunAt: number;
  readonly at: number;
}

/** One watcher process. */
export class SimulatedWatcher {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #lifetime = new AbortController();
  readonly #watcher: ClusterWatcher;
  readonly #begunAt: number;
  #wasReady = false;

  constructor({ begunAt, streams, index, mutation, ...parts }: SimulatedWatcherOptions) {
    this.#begunAt = begunAt;
    this.#watcher = new ClusterWatcher({
      ...parts,
      ...{ cluster: "c1", name: "c1" },
      streams: mutation.streams?.(streams) ?? streams,
      index: mutation.index?.(index) ?? index,
      checkpoints: index,
      session: mutation.session?.(index) ?? index,
      semaphore: new Semaphore({ atOnce: 1, longestMs: 10_000, clock: parts.clock }),
    });
    this.ended = this.#watcher.run(this.#lifetime.signal);
  }

  stop(): void {
    this.#lifetime.abort(endedReason);
  }

  /** Once: when it is ready, and was not when this was asked before. */
  readyAt(writes: number): Readiness | undefined {
    if (this.#wasReady || !this.#watcher.isAdopted) return undefined;
    this.#wasReady = true;
    return { begunAt: this.#begunAt, at: writes };
  }
}
