import { asFault } from "@fleet-reloader/domain/fault";
import { isOlderVersion } from "@fleet-reloader/domain/resource-version";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { accept } from "../resource.ts";

/** A watch that has to know when the server's history goes backwards. */
export interface ProbedWatch {
  /** Of a list of the same collection, with one object at most. */
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
  /** How long it may stay unknown. */
  readonly everyMs?: number;
}

const everyMsDefault = 60_000;

/**
 * A watch from a revision of the future stays silent for ever (etcd restored from a backup): only a consistent list tells. One watch
 * after the other is asked about, as nearly always all revisions of a server are those of one etcd; and all others at once, once one went back.
 */
export class RevisionProbe {
  readonly #options: RevisionProbeOptions;
  /** In the order of their turns. */
  readonly #watches = new Set<ProbedWatch>();
  #running: AbortController | undefined;

  constructor(options: RevisionProbeOptions) {
    this.#options = options;
  }

  /** Probes for a watch until what is answered is called. */
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

  /** Never rejects: the watches themselves notice an unreachable server; a failed probe only means that there is no answer this time. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs = everyMsDefault, log } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => undefined);
      const [next] = this.#watches;
      if (signal.aborted || next === undefined) return;
      // To the end of the queue.
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
    // Before it is asked: what is seen meanwhile may be newer than the answer.
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
