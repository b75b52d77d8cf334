import { asFault } from "@fleet-reloader/domain/fault";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { Incumbents } from "@fleet-reloader/engine/ports/incumbents";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { Backoff } from "../backoff.ts";
import { isStandIn } from "../discovery/cluster-identity.ts";
import type { FleetOptions } from "./fleet-options.ts";
import type { Claim, FleetMember } from "./member.ts";

/** Limits of the wait between two reads of the stored incumbents. */
const readAgainFirstMs = 1000;
const readAgainMaxMs = 10_000;
/** After a loss of Redis' data, a process that starts within this time finds no incumbent. It costs each process one command. */
const writeAgainEveryMs = 10_000;

export type IncumbencyOptions = Pick<FleetOptions, "clock" | "incumbents" | "log" | "random">;

/** What incumbency reads from the fleet, and reports to it. */
export interface FleetView {
  /** All registrations. */
  readonly members: () => Iterable<FleetMember>;
  /** Every provider has reported its registrations: a registration that is missing now is gone. */
  readonly isAllTold: () => boolean;
  /** Another process was first: the cluster has to be settled again. */
  readonly changed: (cluster: ClusterId) => void;
}

/**
 * A cluster itself says which cluster it is, so a registration can claim a cluster that another one has led to before. The earlier one, the
 * incumbent, keeps the cluster: even when the other's name comes first, when the incumbent is unreachable or does not tell its UID, and after a
 * restart of this process. It ends when a person removes its registration, or when it leads to another cluster.
 */
export class Incumbency {
  readonly #options: IncumbencyOptions;
  readonly #fleet: FleetView;
  readonly #known = new Map<ClusterId, string>();
  #isLoaded: boolean;
  /** Why the last read failed. */
  #failure: string | undefined;

  constructor(options: IncumbencyOptions, fleet: FleetView) {
    this.#options = options;
    this.#fleet = fleet;
    this.#isLoaded = options.incumbents === undefined;
  }

  /** For readiness: one line while the stored incumbents are not read yet. */
  get notReady(): readonly string[] {
    const why = this.#failure === undefined ? "" : ` (${this.#failure})`;
    return this.#isLoaded ? [] : [`clusters: their records in Redis are not read yet${why}`];
  }

  /** Reads the stored incumbents, again until Redis answers; before that no registration may be chosen. Never rejects. */
  async load(signal: AbortSignal): Promise<void> {
    const { clock, incumbents, random } = this.#options;
    const backoff = new Backoff({ firstMs: readAgainFirstMs, maxMs: readAgainMaxMs, random });
    while (incumbents !== undefined && !this.#isLoaded && !signal.aborted) {
      try {
        for (const [cluster, registration] of await unlessAborted(incumbents.all(), signal, "Redis"))
          this.#known.set(cluster, registration);
        this.#isLoaded = true;
      } catch (error) {
        if (!signal.aborted) this.#failed(asFault(error).message);
        await clock.sleep(backoff.next(), signal).catch(() => undefined);
      }
    }
  }

  #failed(why: string): void {
    if (why !== this.#failure)
      this.#options.log.warn(
        { err: why },
        "the registrations that clusters belong to could not be read; trying again",
      );
    this.#failure = why;
  }

  /**
   * Writes entries again that Redis has lost, until the signal is aborted: otherwise a later process takes the first registration that answers as
   * the incumbent. An entry of another process stays, and this process keeps its own. Never rejects.
   */
  async keepWritten(signal: AbortSignal): Promise<void> {
    const { clock, incumbents } = this.#options;
    while (incumbents !== undefined && !signal.aborted) {
      await clock.sleep(writeAgainEveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      // The next turn repeats a failed write.
      await unlessAborted(this.#writeLost(incumbents), signal, "Redis").catch(() => undefined);
    }
  }

  async #writeLost(incumbents: Incumbents): Promise<void> {
    const written = await incumbents.all();
    for (const [cluster, registration] of this.#known)
      if (!written.has(cluster) && this.#mayComeBack(registration, cluster))
        await incumbents.keep(cluster, registration, undefined);
  }

  /** The id of the registration that owns the cluster. */
  of(cluster: ClusterId): string | undefined {
    return this.#known.get(cluster);
  }

  /** The same for people: the displayed name and the id; only the id when the registration is gone. */
  namedOf(cluster: ClusterId): string {
    const id = this.of(cluster) ?? "";
    const named = [...this.#fleet.members()].find((member) => member.id === id)?.registration.name ?? id;
    return named === id ? id : `${named} (registration ${id})`;
  }

  /** Clusters that belong to a registration. Another may get them once it is removed or leads elsewhere. */
  clustersOf(registration: string): readonly ClusterId[] {
    return [...this.#known].flatMap(([cluster, its]) => (its === registration ? [cluster] : []));
  }

  /** Clusters that a registration leads to, or led to and may lead to again once it answers; undefined: they are not all known yet. */
  get registered(): ReadonlySet<ClusterId> | undefined {
    const { isAllTold, members } = this.#fleet;
    if (!this.#isLoaded || !isAllTold()) return undefined;
    const staying = [...members()].filter(({ isRemoved }) => !isRemoved);
    const silent = new Set(staying.flatMap(({ claim, id }) => (tellsUid(claim) ? [] : [id])));
    const away = [...this.#known].flatMap(([cluster, id]) => (silent.has(id) ? [cluster] : []));
    return new Set([...staying.flatMap(({ claim }) => claim?.cluster ?? []), ...away]);
  }

  /** The registration to use for the cluster, out of the present claimants in their order; undefined: none may be used. */
  choose(cluster: ClusterId, claimants: readonly FleetMember[]): FleetMember | undefined {
    const incumbent = this.#known.get(cluster);
    const kept = claimants.find(({ id }) => id === incumbent);
    if (kept !== undefined) return kept;
    if (incumbent !== undefined && this.#mayComeBack(incumbent, cluster)) return undefined;
    const [first] = claimants;
    if (first !== undefined) this.#remember(cluster, first.id, incumbent);
    return first;
  }

  #mayComeBack(incumbent: string, cluster: ClusterId): boolean {
    for (const { id, isRemoved, claim } of this.#fleet.members())
      if (id === incumbent && !isRemoved) return !tellsUid(claim) || claim.cluster === cluster;
    return !this.#fleet.isAllTold();
  }

  #remember(cluster: ClusterId, registration: string, instead: string | undefined): void {
    this.#known.set(cluster, registration);
    this.#options.incumbents?.keep(cluster, registration, instead).then(
      (kept) => {
        if (kept === registration || this.#known.get(cluster) !== registration) return;
        this.#known.set(cluster, kept);
        this.#fleet.changed(cluster);
      },
      // This process keeps it, and writes it again.
      () => undefined,
    );
  }
}

/** Without a UID it is unknown where a registration leads: rights may be missing for a moment while an API server starts. */
function tellsUid(claim: Claim | undefined): claim is Claim {
  return claim !== undefined && !isStandIn(claim.cluster);
}
