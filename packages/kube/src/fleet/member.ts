import {
  afterEvent,
  type ClusterEvent,
  type ClusterFacts,
  type ClusterStatus,
  clusterStatusOf,
  discovered,
} from "@fleet-reloader/domain/cluster/cluster-status";
import type { ListedRegistration } from "@fleet-reloader/domain/cluster/listed-cluster";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { identify, isStandIn } from "../discovery/cluster-identity.ts";
import type { Connection } from "../http/connection.ts";
import type { Access, Registration } from "../registration/registration.ts";
import type { ConnectPace } from "./connect-pace.ts";

export type Usable = Extract<Access, { type: "usable" }>;

/** The used version of a registration, and the cluster it led to. */
export interface Claim {
  readonly cluster: ClusterId;
  readonly access: Usable;
}

export interface FleetMemberOptions {
  readonly registration: Registration;
  /** Of two members with one cluster, the one with the lower number is used. */
  readonly precedence: number;
  /** Readiness waits for it, whatever its state. */
  readonly isNamed: boolean;
  readonly pace: ConnectPace;
  readonly connect: (target: ClusterTarget) => Connection;
  /** Called when its claim or the facts about the claimed cluster have changed; `member.claim` is undefined when it has none any more. */
  readonly onClaim: (member: FleetMember, before: Claim | undefined) => void;
  readonly changed: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** One registration: identifies the cluster it leads to, again after each change, and claims that cluster. */
export class FleetMember {
  readonly id: string;
  readonly precedence: number;
  readonly #options: FleetMemberOptions;
  readonly #lifetime = new AbortController();
  #registration: Registration;
  /** Aborted when its present attempt is out of date. */
  #news: LinkedAbort | undefined;
  #claim: Claim | undefined;
  #facts: ClusterFacts = discovered;
  /** Why the present version cannot be used while the earlier one stays in use. */
  #problem: string | undefined;

  constructor(options: FleetMemberOptions) {
    this.#options = options;
    this.#registration = options.registration;
    this.id = options.registration.id;
    this.precedence = options.precedence;
  }

  get registration(): Registration {
    return this.#registration;
  }

  /** No provider reports it any more. */
  get isRemoved(): boolean {
    return this.#lifetime.signal.aborted;
  }

  get isNamed(): boolean {
    return this.#options.isNamed;
  }

  get claim(): Claim | undefined {
    return this.#claim;
  }

  get status(): ClusterStatus {
    return clusterStatusOf(this.#facts);
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  /** The status for people: a cluster that is served with an earlier version of its registration is degraded. */
  seenAs({ state, why }: ClusterStatus): ClusterStatus {
    if (this.#problem === undefined) return { state, why };
    return { state: state === "Ready" ? "Degraded" : state, why: [...why, this.#problem] };
  }

  /** Its entry in the list of clusters, when its cluster has this status. */
  listedAs(status: ClusterStatus): ListedRegistration {
    const { name, labels } = this.registration;
    const id = this.claim?.cluster;
    return { name, labels, id, registration: this.id, status: this.seenAs(status) };
  }

  change(registration: Registration): void {
    this.#registration = registration;
    this.#news?.abort();
  }

  /** Another cluster answers at the address, so the member identifies it again. */
  lost(): void {
    this.#giveUp();
    this.#news?.abort();
  }

  remove(): void {
    this.#lifetime.abort();
  }

  tell(event: ClusterEvent): void {
    this.#facts = afterEvent(this.#facts, event);
    this.#options.changed();
  }

  /** Runs until it is removed; never rejects. */
  async run(outer: AbortSignal): Promise<void> {
    using life = linkedAbort(outer, this.#lifetime.signal);
    const { signal } = life;
    while (!signal.aborted) {
      using news = linkedAbort(signal);
      this.#news = news;
      await this.#follow(this.#registration.access, news.signal);
      await untilAborted(news.signal);
    }
    this.#giveUp();
    this.tell({ type: "removed" });
  }

  async #follow(access: Access, signal: AbortSignal): Promise<void> {
    switch (access.type) {
      case "paused":
        this.#giveUp();
        this.#problem = undefined;
        return this.tell({ type: "paused", why: access.why });
      case "unusable":
        // The announcer of registrations logs and reports it.
        if (this.#claim === undefined) this.tell({ type: "unusable", why: access.why });
        else this.#problem = earlierStays(access.why);
        return this.#options.changed();
      case "usable":
        if (this.#claim?.access.version === access.version) {
          this.#problem = undefined;
          // Its labels may have changed.
          this.#options.onClaim(this, this.#claim);
        } else await this.#connect(access, signal);
        return this.#options.changed();
    }
  }

  /** Retries until the cluster is identified, or until the registration has changed. An existing engagement continues meanwhile. */
  async #connect(access: Usable, signal: AbortSignal): Promise<void> {
    const { clock, pace } = this.#options;
    using attempts = pace.begin();
    if (this.#claim === undefined) this.tell({ type: "connecting" });
    while (!signal.aborted) {
      const found = await this.#identify(access, signal);
      if (signal.aborted) return;
      if (!(found instanceof Fault)) {
        const before = this.#claim;
        this.#claim = { cluster: found, access };
        this.#problem = undefined;
        return this.#options.onClaim(this, before);
      }
      const pauseMs = attempts.pauseMs(found.class === "denied");
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  async #identify(access: Usable, signal: AbortSignal): Promise<ClusterId | Fault> {
    const { connect, pace } = this.#options;
    const connection = connect(access.target);
    const before = this.#statusText;
    try {
      const endTurn = await pace.takeTurn(signal);
      const cluster = await identify(connection, signal).finally(endTurn);
      this.#requireUid(cluster, connection.server);
      return cluster;
    } catch (error) {
      const fault = asFault(error);
      if (!signal.aborted) this.#unidentified(fault, before);
      return fault;
    } finally {
      await connection.close();
    }
  }

  /** After a UID was known, an answer without a UID does not count as another cluster. */
  #requireUid(cluster: ClusterId, server: string): void {
    if (this.#claim === undefined || isStandIn(this.#claim.cluster) || !isStandIn(cluster)) return;
    throw new Fault("kube.forbidden", `${server} does not tell the UID of kube-system any more`);
  }

  #unidentified(fault: Fault, before: string): void {
    if (this.#claim === undefined)
      this.tell({ type: fault.class === "denied" ? "refused" : "missed", why: fault.message });
    else this.#problem = earlierStays(fault.message);
    if (this.#statusText !== before) {
      const { name: cluster } = this.#registration;
      this.#options.log.error({ cluster, reason: fault.code }, `${fault.message}; trying again`);
    }
    this.#options.changed();
  }

  get #statusText(): string {
    return [...this.status.why, this.#problem].join();
  }

  #giveUp(): void {
    const before = this.#claim;
    this.#claim = undefined;
    if (before !== undefined) this.#options.onClaim(this, before);
  }
}

function earlierStays(why: string): string {
  return `${why}; the earlier version stays in use`;
}

/** By precedence, then by name. */
export function inOrder(members: Iterable<FleetMember>): readonly FleetMember[] {
  return [...members].sort((a, b) => a.precedence - b.precedence || (a.id < b.id ? -1 : 1));
}
