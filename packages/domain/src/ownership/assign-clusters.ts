import { stableHash } from "./stable-hash.ts";

/** Something that watches clusters; of two with equal weights each is to have half. */
export interface WatcherMember {
  readonly id: string;
  /** Its share relative to the others', more than 0. */
  readonly weight: number;
}

/** A cluster that somebody has to watch. */
export interface Placement {
  readonly cluster: string;
  /** What watching it costs, in any unit that is the same for all; more than 0. */
  readonly weight: number;
  /** Who watches it now; undefined, or no member any more: nobody. */
  readonly owner: string | undefined;
}

/**
 * How much more than its fair share a member may have. 1.25 is what consistent hashing with bounded loads proposes: less moves
 * more, more is less even (Mirrokni, Thorup, Zadimoghaddam 2017; Argo CD takes the same).
 */
const loadFactor = 1.25;
/** Sums of weights are not exact. */
const rounding = 1e-9;

/**
 * Which member is to watch which cluster: rendezvous hashing with bounded load, that leaves a cluster where it is unless its
 * member has more than its bound. All who see the same members and placements, in whatever order, get the same answer, and
 * asked again with that answer nothing moves.
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
    // What has to go is what this member would be asked for last.
    else homeless.push(...byScore(kept, member).filter((placement) => !take(placement, member.id)));
  }
  // Heaviest first: the light ones find room beside them, the other way round they might not.
  homeless.sort((a, b) => b.weight - a.weight || compareText(a.cluster, b.cluster));
  for (const placement of homeless) ranked(members, placement).find(({ id }) => take(placement, id));
  return assigned;
}

/**
 * The most each member may have: its share times the load factor, and at least so much that the emptiest member has
 * room for the heaviest cluster. With it every cluster finds a member: were all full, more would be placed than there is.
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

/** Weighted rendezvous: the highest of -w / ln(u), u uniform in (0, 1) for each pair, has the cluster with probability w / Σw. */
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
