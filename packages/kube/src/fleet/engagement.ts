import {
  afterEvent,
  type ClusterEvent,
  type ClusterFacts,
  type ClusterStatus,
  clusterStatusOf,
  discovered,
} from "@fleet-reloader/domain/cluster/cluster-status";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { readUid } from "../discovery/cluster-identity.ts";
import type { Connection } from "../http/connection.ts";
import { Health } from "./health.ts";
import { missingRights, type Right } from "./rights.ts";

/** A cluster that answered and is identified. */
export interface Engaged {
  readonly cluster: ClusterId;
  /** What people call it; stays the same as long as the engagement. */
  readonly name: string;
  /** Those of the registration it is reached by, as they are now. */
  readonly labels: Labels;
  /** These namespaces only; undefined: what the settings say. */
  readonly namespaces: readonly string[] | undefined;
  /** May be kept: when address or credentials change, they change inside. */
  readonly connection: Connection;
  /** The first lists begin. The returned function reports that they are complete. */
  syncBegins(): () => void;
  /** The differences that lists found and no hint announced, a line each; none when all is well. */
  hintsMissed(lines: readonly string[]): void;
}

/** The work on one cluster, until the signal is aborted. To return earlier is to have failed. */
export type OnEngaged = (engaged: Engaged, signal: AbortSignal) => Promise<void>;

export interface EngagementOptions {
  readonly engaged: Omit<Engaged, "syncBegins" | "hintsMissed">;
  readonly target: ClusterTarget;
  readonly rights: readonly Right[];
  readonly onEngaged: OnEngaged;
  readonly changed: () => void;
  /** Another cluster answers where this one was. */
  readonly replaced: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** First lists that are not complete by then are worth a look: those of the largest clusters take a minute. */
const syncPatienceMs = 5 * 60_000;
/** Rights are granted by hand: missing ones are asked for soon, and whether one was taken away now and then. */
const missingRightsMs = 30_000;
const allRightsMs = 10 * 60_000;
/** Work on a cluster never fails by design. If a bug makes it fail, the restarts must not become a storm. */
const workRestartMs = 5000;

/**
 * One cluster with its work, its health and its rights, under one signal. Which registration it is reached by may change
 * meanwhile.
 */
export class Engagement {
  readonly engaged: Engaged;
  readonly #options: EngagementOptions;
  readonly #health: Health;
  readonly #lifetime = new AbortController();
  #target: ClusterTarget;
  #labels: Labels;
  #facts: ClusterFacts = afterEvent(discovered, { type: "engaged" });

  constructor(options: EngagementOptions) {
    const { clock, random } = options;
    const { cluster, name, namespaces, connection } = options.engaged;
    this.#options = options;
    this.#target = options.target;
    this.#labels = options.engaged.labels;
    const labels = () => this.#labels;
    this.engaged = {
      cluster,
      name,
      get labels() {
        return labels();
      },
      namespaces,
      connection,
      syncBegins: () => this.#syncBegins(),
      hintsMissed: (lines) => this.#tell({ type: "hints-missed", lines }),
    };
    this.#health = new Health({
      heardAt: () => connection.heardAt,
      ask: (signal) => this.#verify(signal),
      tell: (event) => this.#tell(event),
      clock,
      random,
    });
  }

  get status(): ClusterStatus {
    return clusterStatusOf(this.#facts);
  }

  /** In how many milliseconds it is probed again, at the latest; undefined: it has accepted the last probe. */
  get probedInMs(): number | undefined {
    return this.#health.probedInMs;
  }

  /** Those that were missing when they were asked for last, as sentences. */
  get missingRights(): readonly string[] {
    return this.#facts.missingRights;
  }

  /** Whether the engagement is for this name, these namespaces and these rights, in any order. All are fixed as long as it lives. */
  isFor(name: string, namespaces: readonly string[] | undefined, rights: readonly Right[]): boolean {
    const { engaged } = this;
    const isSameWork =
      inAnyOrder(engaged.namespaces) === inAnyOrder(namespaces) &&
      inAnyOrder(this.#options.rights) === inAnyOrder(rights);
    return engaged.name === name && isSameWork;
  }

  get isEnding(): boolean {
    return this.#lifetime.signal.aborted;
  }

  /** The same cluster by another address, with other credentials or labels, from the next request on. */
  use(target: ClusterTarget, labels: Labels): void {
    this.#labels = labels;
    if (target === this.#target) return;
    this.#target = target;
    this.engaged.connection.use(target);
    this.#health.disturbed();
  }

  end(): void {
    this.#lifetime.abort();
  }

  /** Runs until `end` or the end of the signal; never rejects. */
  async run(outer: AbortSignal): Promise<void> {
    const { connection } = this.engaged;
    using life = linkedAbort(outer, this.#lifetime.signal);
    const { signal } = life;
    connection.guard({
      verify: () => this.#verify(signal),
      disturbed: () => this.#health.disturbed(),
    });
    try {
      await Promise.all([this.#work(signal), this.#health.run(signal), this.#followRights(signal)]);
    } finally {
      await connection.close();
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#options.onEngaged(this.engaged, signal);
        if (!signal.aborted) throw new Fault("engine.invariant", "the work on a cluster ended by itself");
      } catch (error) {
        if (signal.aborted) return;
        const { code, message } = asFault(error);
        this.#tell({ type: "work", failure: `the work on it failed (${code}); it is about to begin again` });
        this.#options.log.error(
          { cluster: this.engaged.name, reason: code, err: message },
          "work on a cluster failed",
        );
        await this.#sleep(workRestartMs, signal);
        this.#tell({ type: "work", failure: undefined });
      }
    }
  }

  /** Faults unless the cluster that was engaged is the one that answers. */
  async #verify(signal: AbortSignal): Promise<void> {
    const { cluster, connection, name } = this.engaged;
    const uid = await readUid(connection, signal);
    // What was known by its address, since it did not tell its UID, is another cluster for us once it does: the parts of this
    // product would else know it by two names.
    if (uid === undefined || uid === cluster) return;
    if (!this.isEnding) this.#options.replaced();
    throw new Fault("kube.replaced", `another cluster than ${name} answers at ${connection.server}`);
  }

  async #followRights(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let isKnown = false;
      try {
        const missing = await missingRights(this.engaged.connection, this.#options.rights, signal);
        this.#tell({ type: "rights", missing });
        isKnown = missing.length === 0;
      } catch (error) {
        // A missing answer is no refusal; health reports it.
        this.#options.log.debug(
          { cluster: this.engaged.name, reason: asFault(error).code },
          "rights unknown",
        );
      }
      await this.#sleep(isKnown ? allRightsMs : missingRightsMs, signal);
    }
  }

  #syncBegins(): () => void {
    this.#tell({ type: "sync-began" });
    const over = linkedAbort(this.#lifetime.signal);
    void this.#sleep(syncPatienceMs, over.signal).then(() => {
      if (!over.signal.aborted) this.#tell({ type: "sync-late" });
    });
    return () => {
      if (over.signal.aborted) return;
      over.abort();
      over[Symbol.dispose]();
      this.#tell({ type: "synced" });
    };
  }

  #tell(event: ClusterEvent): void {
    const before = this.#facts;
    this.#facts = afterEvent(before, event);
    if (this.#facts === before) return;
    if (event.type === "heard") this.#isBack(before.failure?.type);
    this.#options.changed();
  }

  /** What fell silent with the cluster stays silent when it is back. What is open while it refuses our credentials goes on. */
  #isBack(from: "unreachable" | "refused" | undefined): void {
    const { connection } = this.engaged;
    if (from === "unreachable") connection.reopenStreams();
    if (from === "refused") connection.backOffs.end();
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(ms, signal).catch(() => undefined);
  }
}

function inAnyOrder(all: readonly unknown[] | undefined): string | undefined {
  return all && `${all.map((one) => JSON.stringify(one)).toSorted()}`;
}
