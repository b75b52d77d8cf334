import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock, Random } from "@fleet-reloader/engine/clock";
import type { Log } from "@fleet-reloader/engine/log";
import type { ClusterId } from "@fleet-reloader/engine/request";
import { Backoff } from "./backoff.ts";
import { identify } from "./cluster-identity.ts";
import { type CallRecord, Connection } from "./connection.ts";
import type { ClusterTarget } from "./kubeconfig.ts";

/** A cluster that answered and told who it is. */
export interface Engaged {
  readonly cluster: ClusterId;
  readonly name: string;
  readonly connection: Connection;
}

export interface EngagementsOptions {
  readonly targets: readonly ClusterTarget[];
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onCall?: (record: CallRecord) => void;
}

/**
 * The clusters this process is told of. Each is reached on its own: one that cannot be reached is tried again for ever and
 * holds up no other. Two ways to one API server are one cluster.
 */
export class Engagements {
  readonly #options: EngagementsOptions;
  readonly #engaged = new Map<ClusterId, Engaged>();
  /** Name → why it is not engaged yet. */
  readonly #pending = new Map<string, string>();

  constructor(options: EngagementsOptions) {
    this.#options = options;
    for (const target of options.targets) this.#pending.set(target.name, "not connected yet");
  }

  get(cluster: ClusterId): Engaged | undefined {
    return this.#engaged.get(cluster);
  }

  /** One line for each cluster that is not engaged, for readiness. */
  get notEngaged(): readonly string[] {
    return [...this.#pending].map(([name, why]) => `cluster ${name}: ${why}`);
  }

  /** Engages every target and calls back once for each cluster. Resolves when the signal is aborted and all is closed. */
  async run(signal: AbortSignal, onEngaged: (engaged: Engaged) => Promise<void>): Promise<void> {
    await Promise.all(this.#options.targets.map((target) => this.#engage(target, signal, onEngaged)));
  }

  async #engage(
    target: ClusterTarget,
    signal: AbortSignal,
    onEngaged: (engaged: Engaged) => Promise<void>,
  ): Promise<void> {
    const { random, clock } = this.#options;
    const connection = new Connection({ ...this.#options, target });
    const backoff = new Backoff({ firstMs: 1000, maxMs: 30_000, random });
    try {
      while (!signal.aborted) {
        const cluster = await this.#identify(target, connection, signal);
        if (cluster !== undefined) {
          if (this.#isNew(cluster, target, connection))
            await onEngaged({ cluster, name: target.name, connection });
          return;
        }
        await clock.sleep(500 + backoff.next(), signal).catch(() => undefined);
      }
    } finally {
      await connection.close();
    }
  }

  async #identify(
    target: ClusterTarget,
    connection: Connection,
    signal: AbortSignal,
  ): Promise<ClusterId | undefined> {
    try {
      return await identify(connection, signal);
    } catch (error) {
      const fault = asFault(error);
      if (!signal.aborted && this.#pending.get(target.name) !== fault.message) {
        this.#options.log.error(
          { cluster: target.name, reason: fault.code },
          `${fault.message}; trying again`,
        );
      }
      this.#pending.set(target.name, fault.message);
      return undefined;
    }
  }

  #isNew(cluster: ClusterId, target: ClusterTarget, connection: Connection): boolean {
    this.#pending.delete(target.name);
    const known = this.#engaged.get(cluster);
    if (known !== undefined) {
      this.#options.log.warn(
        { cluster, context: target.name, same: known.name },
        "two contexts lead to the same cluster; it is engaged once",
      );
      return false;
    }
    this.#engaged.set(cluster, { cluster, name: target.name, connection });
    this.#options.log.info({ cluster, name: target.name, server: target.server }, "cluster engaged");
    return true;
  }
}
