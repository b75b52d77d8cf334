import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock, Random } from "@fleet-reloader/engine/clock";
import type { Log } from "@fleet-reloader/engine/log";
import type { ClusterId } from "@fleet-reloader/engine/request";
import { Backoff } from "./backoff.ts";
import { identify } from "./cluster-identity.ts";
import { type CallRecord, Connection } from "./connection.ts";
import type { ClusterTarget } from "./kubeconfig.ts";
import type { ClusterProvider, Registration } from "./registration/registration.ts";

/** A cluster that answered and told who it is. */
export interface Engaged {
  readonly cluster: ClusterId;
  readonly name: string;
  readonly connection: Connection;
}

export interface FleetOptions {
  /** In the order of their precedence: of two ways to one cluster the first is taken. */
  readonly providers: readonly ClusterProvider[];
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onCall?: (record: CallRecord) => void;
}

/** A registration that is followed: its connection, and the work on its cluster, end with it. */
interface Member {
  readonly registration: Registration;
  readonly lifetime: AbortController;
  readonly ended: Promise<void>;
}

type OnEngaged = (engaged: Engaged, signal: AbortSignal) => Promise<void>;

/**
 * The clusters this process is told of. Each is reached on its own: one that cannot be reached is tried again for ever and
 * holds up no other. Two ways to one API server are one cluster.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members = new Map<string, Member>();
  readonly #engaged = new Map<ClusterId, Engaged>();
  /** Registration → why its cluster is not engaged yet. */
  readonly #pending = new Map<string, string>();

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get(cluster: ClusterId): Engaged | undefined {
    return this.#engaged.get(cluster);
  }

  /** One line for each cluster that is not engaged, for readiness. */
  get notEngaged(): readonly string[] {
    const providers = this.#options.providers.flatMap((provider) => provider.notReady);
    return [...providers, ...[...this.#pending.values()]];
  }

  /** Engages every registration and calls back once for each cluster. Resolves when the signal is aborted and all is closed. */
  async run(signal: AbortSignal, onEngaged: OnEngaged): Promise<void> {
    await Promise.all(
      this.#options.providers.map(async (provider) => {
        const mine = new Map<string, Member>();
        await provider.run(signal, (registrations) => this.#change(mine, registrations, signal, onEngaged));
      }),
    );
    await Promise.all([...this.#members.values()].map(({ ended }) => ended));
  }

  #change(
    mine: Map<string, Member>,
    registrations: readonly Registration[],
    signal: AbortSignal,
    onEngaged: OnEngaged,
  ): void {
    const ids = new Set(registrations.map(({ id }) => id));
    for (const [id, member] of mine) {
      if (ids.has(id)) continue;
      member.lifetime.abort();
      mine.delete(id);
    }
    for (const registration of registrations) {
      const { access, id } = registration;
      if (access.type !== "usable" || mine.has(id)) continue;
      const lifetime = new AbortController();
      const ended = this.#engage(
        registration,
        access.target,
        AbortSignal.any([signal, lifetime.signal]),
        onEngaged,
      );
      const member = { registration, lifetime, ended };
      mine.set(id, member);
      this.#members.set(id, member);
    }
  }

  async #engage(
    { id }: Registration,
    target: ClusterTarget,
    signal: AbortSignal,
    onEngaged: OnEngaged,
  ): Promise<void> {
    const { random, clock } = this.#options;
    const connection = new Connection({ ...this.#options, target });
    const backoff = new Backoff({ firstMs: 1000, maxMs: 30_000, random });
    this.#pending.set(id, `cluster ${target.name}: not connected yet`);
    try {
      while (!signal.aborted) {
        const cluster = await this.#identify(id, target, connection, signal);
        if (cluster !== undefined) {
          const engaged = { cluster, name: target.name, connection };
          if (this.#isNew(engaged, target)) await onEngaged(engaged, signal);
          return;
        }
        await clock.sleep(500 + backoff.next(), signal).catch(() => undefined);
      }
    } finally {
      this.#pending.delete(id);
      this.#members.delete(id);
      for (const [cluster, engaged] of this.#engaged)
        if (engaged.connection === connection) this.#engaged.delete(cluster);
      await connection.close();
    }
  }

  async #identify(
    id: string,
    target: ClusterTarget,
    connection: Connection,
    signal: AbortSignal,
  ): Promise<ClusterId | undefined> {
    try {
      const cluster = await identify(connection, signal);
      this.#pending.delete(id);
      return cluster;
    } catch (error) {
      const fault = asFault(error);
      const why = `cluster ${target.name}: ${fault.message}`;
      if (!signal.aborted && this.#pending.get(id) !== why) {
        this.#options.log.error(
          { cluster: target.name, reason: fault.code },
          `${fault.message}; trying again`,
        );
      }
      this.#pending.set(id, why);
      return undefined;
    }
  }

  #isNew(engaged: Engaged, target: ClusterTarget): boolean {
    const known = this.#engaged.get(engaged.cluster);
    if (known !== undefined) {
      this.#options.log.warn(
        { cluster: engaged.cluster, context: target.name, same: known.name },
        "two contexts lead to the same cluster; it is engaged once",
      );
      return false;
    }
    this.#engaged.set(engaged.cluster, engaged);
    this.#options.log.info(
      { cluster: engaged.cluster, name: target.name, server: target.server },
      "cluster engaged",
    );
    return true;
  }
}
