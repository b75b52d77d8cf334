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
  /** Its displayed name; stays the same for the whole engagement. */
  readonly name: string;
  /** The present labels of the registration that serves it. */
  readonly labels: Labels;
  /** Only these namespaces; undefined: as the settings say. */
  readonly namespaces: readonly string[] | undefined;
  /** Callers may keep it: a new address or new credentials change inside. */
  readonly connection: Connection;
  /** The first lists begin. The returned function reports that they are complete. */
  syncBegins(): () => void;
  /** The differences that lists found and no hint announced, a line each; none when all is well. */
  hintsMissed(lines: readonly string[]): void;
}

/** The work on one cluster, until the signal is aborted. Returning earlier counts as a failure. */
export type OnEngaged = (engaged: Engaged, signal: AbortSignal) => Promise<void>;

export interface EngagementOptions {
  readonly engaged: Omit<Engaged, "syncBegins" | "hintsMissed">;
  readonly target: ClusterTarget;
  readonly rights: readonly Right[];
  readonly onEngaged: OnEngaged;
  readonly changed: () => void;
  /** Another cluster answers at the address of this one. */
  readonly replaced: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** First lists that take longer are reported: those of the largest clusters take a minute. */
const syncPatienceMs = 5 * 60_000;
/** People grant rights by hand: missing ones are checked again soon, granted ones now and then. */
const missingRightsMs = 30_000;
const allRightsMs = 10 * 60_000;
/** Work on a cluster never fails by design. If a bug makes it fail, the restarts must not become a storm. */
const workRestartMs = 5000;

/** One cluster with its work, its health and its rights, under one signal. The registration that serves it may change meanwhile. */
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

  /** Milliseconds until the next probe, at most; undefined: the cluster has accepted the last probe. */
  get probedInMs(): number | undefined {
    return this.#health.probedInMs;
  }

  /** The rights that were missing at the last check, as sentences. */
  get missingRights(): readonly string[] {
    return this.#facts.missingRights;
  }

  /** Whether the engagement is for this name, these namespaces and these rights, in any order. All are fixed for its lifetime. */
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

  /** From the next request on, uses another address, other credentials or other labels for the same cluster. */
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

  /** Faults unless the engaged cluster is the one that answers. */
  async #verify(signal: AbortSignal): Promise<void> {
    const { cluster, connection, name } = this.engaged;
    const uid = await readUid(connection, signal);
    // A cluster that did not tell its UID is known by its address. Once it tells it, it is another cluster for us: otherwise the parts of this
    // product would know it by two names.
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

  /** A stream that fell silent with the cluster stays silent when it is back. Streams that are open while it refuses our credentials continue. */
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
