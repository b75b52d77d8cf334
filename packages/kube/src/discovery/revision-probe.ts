import { asFault } from "@fleet-reloader/domain/fault";
import { isOlderVersion } from "@fleet-reloader/domain/resource-version";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { accept } from "../resource.ts";

/** A watch that must learn when the server's history goes backwards. */
export interface ProbedWatch {
  /** Path of a list of the same collection, with at most one object. */
  readonly path: string;
  /** The newest version it has seen. */
  readonly seen: () => string;
  /** Called before the stream is ended. */
  readonly wentBack: () => void;
}

export interface RevisionProbeOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Log;
  /** How long the change may go unnoticed. */
  readonly everyMs?: number;
}

const everyMsDefault = 60_000;

/**
 * A watch from a future revision stays silent for ever (etcd restored from a backup); only a consistent list shows it. Each probe checks one
 * watch, in turn, since nearly always all revisions of a server come from one etcd. When one went back, all others are checked at once.
 */
export class RevisionProbe {
  readonly #options: RevisionProbeOptions;
  /** In the order of their turns. */
  readonly #watches = new Set<ProbedWatch>();
  #running: AbortController | undefined;

  constructor(options: RevisionProbeOptions) {
    this.#options = options;
  }

  /** Probes for a watch until the returned function is called. */
  add(watch: ProbedWatch): () => void {
    this.#watches.add(watch);
    if (this.#running === undefined) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    }
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size > 0) return;
      this.#running?.abort();
      this.#running = undefined;
    };
  }

  /** Never rejects: the watches themselves notice an unreachable server; a failed probe only means no answer this time. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs = everyMsDefault, log } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => undefined);
      const [next] = this.#watches;
      if (signal.aborted || next === undefined) return;
      // Moves it to the end of the queue.
      this.#watches.delete(next);
      this.#watches.add(next);
      try {
        if (!(await this.#check(next, signal))) continue;
        const others = [...this.#watches].filter((watch) => watch !== next);
        await Promise.allSettled(others.map((watch) => this.#check(watch, signal)));
        this.#options.connection.reopenStreams();
      } catch (error) {
        if (!signal.aborted) log.debug({ reason: asFault(error).code }, "revision probe failed");
      }
    }
  }

  /** Whether the server is behind what the watch has seen. */
  async #check({ path, seen, wentBack }: ProbedWatch, signal: AbortSignal): Promise<boolean> {
    // Read before the request: later versions may be newer than the answer.
    const before = seen();
    const answer = await this.#options.connection.call(
      { method: "GET", path, accept: accept.metadataList },
      signal,
    );
    const now = text(answer.body, "metadata", "resourceVersion");
    const isBehind = now !== "" && isOlderVersion(now, before);
    if (isBehind) wentBack();
    return isBehind;
  }
}
