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
  /** Connects to the cluster with this name or id. */
  readonly connect: (called: string, signal: AbortSignal) => Promise<ConnectedTo>;
  readonly clock: Clock;
}

/** A page asks about an object every minute. After this long, address, credentials and registration may have changed. */
const lentMs = 300_000;
/** More clusters than people look at within this time. Each has some open connections. */
const lentMax = 32;
/** After a fault of these classes the registration is read again. */
const staleClasses: readonly FaultClass[] = ["denied", "transient", "unreachable"];
/** A dead cluster costs each attempt its whole time limit, so no question waits for it again within this time. A page asks every minute. */
const unreachedMs = 10_000;
/** Faults after a slow attempt to connect. Any other fault comes at once, and may be fixed at once. */
const slowClasses: readonly FaultClass[] = ["transient", "unreachable"];

/**
 * Connections to clusters that are opened by questions. A connection serves all questions for five minutes, or until one fails; it is closed when
 * no question is under way. An unreachable cluster is not tried again for 10 s.
 */
export class LentClusters {
  readonly #options: LentClustersOptions;
  readonly #kept = new Map<string, KeptCluster>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: LentClustersOptions) {
    this.#options = options;
  }

  /** Asks the cluster with this name or id. Rejects when the connection or the question fails. */
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

  /** The displayed name of a recently used cluster; otherwise its id. */
  nameOf(id: ClusterId): string {
    const kept = [...this.#kept.values()].find(({ reached }) => reached?.api.cluster === id);
    return kept?.reached?.name ?? id;
  }

  /** Closes every connection, even during a question. */
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

  /** The next question opens a new connection. */
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
  /** Aborted when the connection ends. */
  readonly life: AbortController;
  readonly connected: Promise<ConnectedTo>;
  /** Undefined: not connected yet. */
  reached: ReachedCluster | undefined;
  /** Questions under way. */
  askers: number;
}
