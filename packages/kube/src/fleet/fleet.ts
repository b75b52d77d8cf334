import type { ClusterStatus } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ListedRegistration } from "@fleet-reloader/domain/cluster/listed-cluster";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { Connection } from "../http/connection.ts";
import type { ClusterProvider, Registration } from "../registration/registration.ts";
import { type Claimant, Claims } from "./claims.ts";
import { ClusterStatusNotifier } from "./cluster-status-notifier.ts";
import { ConnectPace } from "./connect-pace.ts";
import { ContenderEvents } from "./contender-events.ts";
import { type Engaged, Engagement, type OnEngaged } from "./engagement.ts";
import type { FleetOptions, Life } from "./fleet-options.ts";
import { type FleetView, Incumbency } from "./incumbency.ts";
import { FleetMember, inOrder } from "./member.ts";
import type { Right } from "./rights.ts";
import { onlyNamed, sharedNames } from "./shared-names.ts";

export type { Engaged };

/**
 * The registered clusters. Each is supervised on its own: an unreachable cluster is retried for ever, and no cluster waits for another. Several
 * registrations of one API server share one engagement.
 */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #pace: ConnectPace;
  readonly #teller: ClusterStatusNotifier;
  readonly #members = new Set<FleetMember>();
  readonly #claims = new Claims();
  readonly #engagements = new Map<ClusterId, Engagement>();
  readonly #running = new Set<Promise<void>>();
  readonly #incumbency: Incumbency;
  /** Providers that have reported their registrations. */
  readonly #heard = new Set<ClusterProvider>();
  readonly #contenders: ContenderEvents | undefined;
  #life: { readonly signal: AbortSignal; readonly onEngaged: OnEngaged } | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    const { clock, incumbents, log, meter, random } = options;
    this.#pace = new ConnectPace({ clock, random });
    this.#teller = new ClusterStatusNotifier({ log, meter });
    this.#contenders = options.tellsEvents === true ? new ContenderEvents({ clock, log }) : undefined;
    const view: FleetView = {
      members: () => this.#members,
      isAllTold: () => this.#heard.size === options.providers.length,
      changed: (cluster) => this.#settle(cluster),
    };
    this.#incumbency = new Incumbency({ clock, incumbents, log, random }, view);
  }

  /** The cluster if it is engaged now. Callers do not keep it: it may be replaced or end. */
  get(cluster: ClusterId): Engaged | undefined {
    const engagement = this.#engagements.get(cluster);
    return engagement === undefined || engagement.isEnding ? undefined : engagement.engaged;
  }

  /** The engaged cluster with this displayed name; undefined when there is none, or more than one. */
  named(name: string): Engaged | undefined {
    return onlyNamed(name, this.#engaged);
  }

  get #engaged(): readonly Engaged[] {
    return [...this.#engagements.keys()].flatMap((cluster) => this.get(cluster) ?? []);
  }

  /** The status of an engaged cluster; undefined: it is not engaged. */
  status(cluster: ClusterId): ClusterStatus | undefined {
    return this.get(cluster) === undefined ? undefined : this.#engagements.get(cluster)?.status;
  }

  /** Rights that we need in an engaged cluster and lack, as sentences. */
  missingRights(cluster: ClusterId): readonly string[] {
    return this.#engagements.get(cluster)?.missingRights ?? [];
  }

  /** Whether requests to it are worth trying. */
  reachOf(cluster: ClusterId): Reach {
    const status = this.status(cluster);
    if (status === undefined) return "unknown";
    if (status.state === "Unreachable") return "unreachable";
    return this.probedInMs(cluster) === undefined ? "reachable" : "failing";
  }

  /** Milliseconds until the next probe of a cluster, at most; undefined: it has accepted the last probe, or is not engaged. */
  probedInMs(cluster: ClusterId): number | undefined {
    return this.get(cluster) === undefined ? undefined : this.#engagements.get(cluster)?.probedInMs;
  }

  /** For readiness: one line for each reason why an awaited cluster is not fully served, and for each provider whose clusters are not known yet. */
  get notEngaged(): readonly string[] {
    return [
      ...this.#incumbency.notReady,
      ...this.#options.providers.flatMap((provider) => this.#silenceOf(provider)),
      ...inOrder(this.#members).flatMap((member) => (this.#isWaitedFor(member) ? this.#linesOf(member) : [])),
    ];
  }

  /** Whether this process is ready only when it serves the cluster. */
  isWaitedFor(cluster: ClusterId): boolean {
    return this.#claims.of(cluster).some(({ member }) => this.#isWaitedFor(member));
  }

  /** Every registration, with its cluster if that is known, and with the status as this process sees it. */
  get listed(): readonly ListedRegistration[] {
    return inOrder(this.#members).map((member) => member.listedAs(this.#clusterStatusOf(member)));
  }

  /** Clusters that some registration leads to, including unreachable ones; undefined: not all are known yet. */
  get claimedClusters(): ReadonlySet<ClusterId> | undefined {
    return this.#incumbency.registered;
  }

  /** One line for each problem of a registration that readiness ignores, and for each name of several clusters. */
  get notes(): readonly string[] {
    const ofMembers = inOrder(this.#members).flatMap((member) => {
      const { problem, registration, status } = member;
      const away = this.#isWaitedFor(member) ? [] : this.#linesOf(member);
      const lines = [
        ...(problem === undefined || registration.access.type === "unusable" ? [] : [problem]),
        ...(status.state === "Alias" ? status.why : []),
      ];
      return [...away, ...lines.map((line) => `registration ${registration.id}: ${line}`)];
    });
    return [...ofMembers, ...sharedNames(this.#engaged).values()];
  }

  #silenceOf(provider: ClusterProvider): readonly string[] {
    const { notReady } = provider;
    if (notReady.length > 0 || this.#heard.has(provider)) return notReady;
    return ["clusters: the providers have not listed them yet"];
  }

  /** Engages every registration and calls back once per cluster. Resolves when the signal is aborted and all work has ended. */
  async run(signal: AbortSignal, onEngaged: OnEngaged): Promise<void> {
    this.#life = { signal, onEngaged };
    await this.#incumbency.load(signal);
    this.#run(this.#incumbency.keepWritten(signal));
    await Promise.all(
      this.#options.providers.map(async (provider, precedence) => {
        const mine = new Map<string, FleetMember>();
        const isNamed = provider.isNamed === true;
        const change = (registrations: readonly Registration[]): void => {
          this.#change(mine, registrations, { precedence, isNamed, signal });
          if (this.#heard.size === this.#heard.add(provider).size) return;
          // The registration that a cluster waits for may be among them, or may be gone.
          for (const cluster of this.#claims.clusters) this.#settle(cluster);
        };
        await provider.run(signal, change);
        if (!signal.aborted) throw new Fault("engine.invariant", "a provider of clusters ended by itself");
      }),
    );
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #change(mine: Map<string, FleetMember>, registrations: readonly Registration[], life: Life): void {
    const ids = new Set(registrations.map(({ id }) => id));
    for (const [id, member] of mine) {
      if (ids.has(id)) continue;
      mine.delete(id);
      member.remove();
    }
    for (const registration of registrations) {
      const known = mine.get(registration.id);
      if (known === undefined) mine.set(registration.id, this.#add(registration, life));
      else if (known.registration !== registration) known.change(registration);
    }
  }

  #add(registration: Registration, life: Life): FleetMember {
    const { clock, log } = this.#options;
    const member: FleetMember = new FleetMember({
      registration,
      precedence: life.precedence,
      isNamed: life.isNamed,
      pace: this.#pace,
      connect: (target) => this.#connect(target),
      changed: () => this.#tell(member),
      onClaim: (_, before) => {
        const affected = [...this.#claims.move(member, before), ...this.#incumbency.clustersOf(member.id)];
        for (const cluster of new Set(affected)) this.#settle(cluster);
      },
      clock,
      log,
    });
    this.#members.add(member);
    this.#tell(member);
    const ended = member.run(life.signal).finally(() => {
      this.#members.delete(member);
      for (const cluster of this.#incumbency.clustersOf(member.id)) this.#settle(cluster);
    });
    this.#run(ended);
    return member;
  }

  /** Starts, changes or ends the engagement of a cluster as its claims require. */
  #settle(cluster: ClusterId): void {
    const claimants = this.#claims.of(cluster);
    const members = claimants.map((one) => one.member);
    const winner = this.#incumbency.choose(cluster, members);
    const chosen = claimants.find((one) => one.member === winner);
    const engagement = this.#engagements.get(cluster);
    for (const other of claimants)
      if (other !== chosen) other.member.tell({ type: "alias", of: this.#incumbency.namedOf(cluster) });
    // When it has ended, the cluster is settled again.
    if (engagement?.isEnding === true) return;
    if (chosen === undefined) return void engagement?.end();
    const { access, member, registration } = chosen;
    const rights = this.#options.rights(access.namespaces, registration.labels);
    if (engagement === undefined) this.#engage(cluster, chosen, rights);
    else if (engagement.isFor(registration.name, access.namespaces, rights))
      engagement.use(access.target, registration.labels);
    // Other namespaces or rights need other work. Freezes, records and grants use the name, so an outdated name must not stay in use.
    else engagement.end();
    member.tell({ type: "engaged" });
    this.#reportContenders(cluster, chosen, claimants);
  }

  /** Reports a registration that claims the cluster from another address in the cluster itself. */
  #reportContenders(cluster: ClusterId, chosen: Claimant, claimants: readonly Claimant[]): void {
    const engaged = this.#engagements.get(cluster)?.engaged;
    for (const { access, registration } of claimants)
      if (engaged !== undefined && access.target.server !== chosen.access.target.server)
        this.#contenders?.tell(engaged, registration, chosen.registration);
  }

  #engage(cluster: ClusterId, { access, registration }: Claimant, rights: readonly Right[]): void {
    const life = this.#life;
    if (life === undefined) return;
    const { clock, random, log } = this.#options;
    const { labels, name } = registration;
    const { namespaces, target } = access;
    const connection = this.#connect(target);
    const engagement = new Engagement({
      target,
      onEngaged: life.onEngaged,
      rights,
      engaged: { cluster, name, labels, namespaces, connection },
      changed: () => {
        for (const { member } of this.#claims.of(cluster)) this.#tell(member);
      },
      replaced: () => {
        const fields = { cluster: name, reason: "kube.replaced" };
        log.warn(fields, "another cluster answers here; it is engaged as a new cluster");
        for (const { member } of this.#claims.of(cluster))
          if (member.id === this.#incumbency.of(cluster)) member.lost();
      },
      clock,
      random,
      log,
    });
    this.#engagements.set(cluster, engagement);
    log.info({ cluster: name, clusterUid: cluster, server: target.server }, "cluster engaged");
    const shared = sharedNames(this.#engaged.filter((one) => one.name === name)).get(name);
    if (shared !== undefined) log.warn({ cluster: name, clusterUid: cluster }, shared);
    const ended = engagement.run(life.signal).then(() => {
      this.#engagements.delete(cluster);
      if (!life.signal.aborted) this.#settle(cluster);
    });
    this.#run(ended);
  }

  #connect(target: ClusterTarget): Connection {
    const { userAgent, limit, isShared, clock, onCall } = this.#options;
    return new Connection({ target, userAgent, limit, isShared, clock, onCall });
  }

  #clusterStatusOf(member: FleetMember): ClusterStatus {
    const isInUse = member.claim !== undefined && member.status.state === "Ready";
    const engagement = isInUse ? this.#engagements.get(member.claim.cluster) : undefined;
    return engagement?.status ?? member.status;
  }

  /** One unreachable cluster of hundreds must not block the rollout of this product, nor hide its endpoints. */
  #isWaitedFor(member: FleetMember): boolean {
    const { state } = this.#clusterStatusOf(member);
    return member.isNamed || !(state === "Unreachable" || state === "Forbidden" || state === "Degraded");
  }

  #linesOf(member: FleetMember): readonly string[] {
    const { state, why } = this.#clusterStatusOf(member);
    // An unusable registration does not affect readiness.
    const isMeant = member.claim !== undefined || member.registration.access.type === "usable";
    if (!isMeant || state === "Alias" || state === "Gone") return [];
    return why.map((line) => `cluster ${member.registration.name}: ${line}`);
  }

  #tell(member: FleetMember): void {
    this.#teller.tell(member, member.seenAs(this.#clusterStatusOf(member)));
  }

  #run(promise: Promise<void>): void {
    const running = promise.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
