import { stableHash } from "./stable-hash.ts";

/** A watcher of clusters. Of two with equal weights each gets half of the load. */
export interface WatcherMember {
  readonly id: string;
  /** Its share relative to the others', more than 0. */
  readonly weight: number;
}

/** A cluster that needs a watcher. */
export interface Placement {
  readonly cluster: string;
  /** What watching it costs, in any unit that is the same for all; more than 0. */
  readonly weight: number;
  /** Its present watcher. Undefined, or no longer a member: it has none. */
  readonly owner: string | undefined;
}

/**
 * Maximum load of a member relative to its fair share. 1.25 is what consistent hashing with bounded loads proposes: a smaller factor moves more
 * clusters, a larger one is less even (Mirrokni, Thorup, Zadimoghaddam 2017; Argo CD takes the same).
 */
const loadFactor = 1.25;
/** Sums of floating-point weights are not exact. */
const rounding = 1e-9;

/**
 * Assigns each cluster to a member by rendezvous hashing with bounded load. A cluster stays where it is unless its member exceeds its bound. All
 * processes that see the same members and placements, in any order, get the same answer. Called again with that answer, it moves nothing.
 */
export function assignClusters(
  members: readonly WatcherMember[],
  placements: readonly Placement[],
): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>();
  const loads = new Map<string, number>();
  const bounds = loadBounds(members, placements);
  const take = ({ cluster, weight }: Placement, member: string): boolean => {
    const load = (loads.get(member) ?? 0) + weight;
    if (load > (bounds.get(member) ?? 0) + rounding) return false;
    loads.set(member, load);
    assigned.set(cluster, member);
    return true;
  };
  const homeless: Placement[] = [];
  for (const [owner, kept] of Map.groupBy(placements, (placement) => placement.owner)) {
    const member = members.find(({ id }) => id === owner);
    if (member === undefined) homeless.push(...kept);
    // The clusters that do not fit are the ones for which this member scores lowest.
    else homeless.push(...byScore(kept, member).filter((placement) => !take(placement, member.id)));
  }
  // Heaviest first: light clusters then fit beside the heavy ones. In the other order the heavy ones might not fit.
  homeless.sort((a, b) => b.weight - a.weight || compareText(a.cluster, b.cluster));
  for (const placement of homeless) ranked(members, placement).find(({ id }) => take(placement, id));
  return assigned;
}

/**
 * The maximum load of each member: its share times the load factor, and at least enough that the emptiest member has room for the heaviest
 * cluster. So every cluster finds a member: if all were full, more would be placed than there is.
 */
export function loadBounds(
  members: readonly WatcherMember[],
  placements: readonly Placement[],
): ReadonlyMap<string, number> {
  const total = totalWeight(placements);
  const weights = totalWeight(members);
  const heaviest = placements.reduce((most, { weight }) => Math.max(most, weight), 0);
  return new Map(
    members.map(({ id, weight }) => {
      const share = (total * weight) / weights;
      return [id, Math.max(loadFactor * share, share + heaviest * (1 - weight / weights))];
    }),
  );
}

/** Weighted rendezvous hashing: with u uniform in (0, 1) for each pair, the highest -w / ln(u) gets the cluster with probability w / Σw. */
function score({ id, weight }: WatcherMember, cluster: string): number {
  return -weight / Math.log((stableHash(`${id} ${cluster}`) + 0.5) / 2 ** 32);
}

function ranked(members: readonly WatcherMember[], { cluster }: Placement): readonly WatcherMember[] {
  return members
    .map((member) => ({ member, score: score(member, cluster) }))
    .sort((a, b) => b.score - a.score || compareText(a.member.id, b.member.id))
    .map(({ member }) => member);
}

function byScore(placements: readonly Placement[], member: WatcherMember): readonly Placement[] {
  return placements
    .map((placement) => ({ placement, score: score(member, placement.cluster) }))
    .sort((a, b) => b.score - a.score || compareText(a.placement.cluster, b.placement.cluster))
    .map(({ placement }) => placement);
}

function totalWeight(weighted: readonly { readonly weight: number }[]): number {
  return weighted.reduce((total, { weight }) => total + weight, 0);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
