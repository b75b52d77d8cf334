import { asFault, type FaultClass } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ReachedCluster } from "./asked-clusters.ts";

/** A cluster with the connection to it. */
export interface ConnectedTo {
  readonly cluster: ReachedCluster;
  close(): Promise<void>;
}

export interface LentClustersOptions {
  /** Connects to the cluster of this name or id. */
  readonly connect: (called: string, signal: AbortSignal) => Promise<ConnectedTo>;
  readonly clock: Clock;
}

/** A page asks about an object every minute. Address, credentials and registration may have changed after this long. */
const lentMs = 300_000;
/** More than people look at in this time. Each has some open connections. */
const lentMax = 32;
/** After such a fault the registration is worth a new read. */
const staleClasses: readonly FaultClass[] = ["denied", "transient", "unreachable"];
/** A dead cluster costs each attempt its whole time limit; no question waits for it again in this time. A page asks every minute. */
const unreachedMs = 10_000;
/** Faults of a connect that took its time. Any other is found at once, and may be mended at once. */
const slowClasses: readonly FaultClass[] = ["transient", "unreachable"];

/**
 * Clusters that are connected to when somebody asks about one of them. A connection serves the questions of five minutes, or those until
 * one fails; it is closed when none of them is under way. A cluster that could not be reached is not tried again for 10 s.
 */
export class LentClusters {
  readonly #options: LentClustersOptions;
  readonly #kept = new Map<string, KeptCluster>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: LentClustersOptions) {
    this.#options = options;
  }

  /** Puts a question to the cluster of this name or id. Rejects as the connection does, or as the question. */
  async ask<T>(
    called: string,
    question: (cluster: ReachedCluster) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const kept = this.#kept.get(called) ?? this.#keep(called);
    kept.askers += 1;
    try {
      const { cluster } = await unlessAborted(kept.connected, signal, "the connection to a cluster");
      kept.reached = cluster;
      return await question(cluster);
    } catch (error) {
      if (kept.reached !== undefined && staleClasses.includes(asFault(error).class)) this.#forget(kept);
      throw error;
    } finally {
      kept.askers -= 1;
      this.#closeUnlessUsed(kept);
    }
  }

  /** What people call a cluster that was asked lately; else its id. */
  nameOf(id: ClusterId): string {
    const kept = [...this.#kept.values()].find(({ reached }) => reached?.api.cluster === id);
    return kept?.reached?.name ?? id;
  }

  /** Closes every connection, also under a question. */
  async close(): Promise<void> {
    for (const kept of this.#kept.values()) {
      this.#kept.delete(kept.called);
      this.#close(kept);
    }
    await Promise.all(this.#closing);
  }

  #keep(called: string): KeptCluster {
    const { connect } = this.#options;
    const life = new AbortController();
    const connected = connect(called, life.signal);
    const kept: KeptCluster = { called, life, connected, reached: undefined, askers: 0 };
    connected.catch((error: unknown) => {
      if (slowClasses.includes(asFault(error).class)) this.#forgetAfter(unreachedMs, kept);
      else this.#forget(kept);
    });
    this.#kept.set(called, kept);
    const [oldest] = this.#kept.values();
    if (this.#kept.size > lentMax && oldest !== undefined) this.#forget(oldest);
    this.#forgetAfter(lentMs, kept);
    return kept;
  }

  #forgetAfter(ms: number, kept: KeptCluster): void {
    this.#options.clock.sleep(ms, kept.life.signal).then(
      () => this.#forget(kept),
      () => undefined,
    );
  }

  /** The next question connects anew. */
  #forget(kept: KeptCluster): void {
    if (this.#kept.get(kept.called) === kept) this.#kept.delete(kept.called);
    this.#closeUnlessUsed(kept);
  }

  #closeUnlessUsed(kept: KeptCluster): void {
    if (this.#kept.get(kept.called) !== kept && kept.askers === 0) this.#close(kept);
  }

  #close({ connected, life }: KeptCluster): void {
    if (life.signal.aborted) return;
    life.abort();
    const closing = connected.then(
      (open) => open.close(),
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}

interface KeptCluster {
  readonly called: string;
  /** Ends with the connection. */
  readonly life: AbortController;
  readonly connected: Promise<ConnectedTo>;
  /** Undefined: not connected yet. */
  reached: ReachedCluster | undefined;
  /** Questions under way. */
  askers: number;
}
