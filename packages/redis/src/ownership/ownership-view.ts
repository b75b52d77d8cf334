import { assignClusters, type Placement } from "@fleet-reloader/domain/ownership/assign-clusters";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { readList, readText } from "../index/index-entry.ts";

/** The owner of a cluster in Redis. Only living members have records. */
export interface OwnerRecord {
  readonly owner: string;
  /** Grows with each change of owner. */
  readonly epoch: number;
  /** When it was last moved from one living member to another; 0 for never. */
  readonly movedAt: number;
  readonly weight: number;
}

/** The state that all members see. */
export interface OwnershipView {
  readonly members: readonly string[];
  readonly owners: ReadonlyMap<ClusterId, OwnerRecord>;
}

/** Records in the format of another version count as no owner. */
export function readView(members: unknown, owners: unknown): OwnershipView {
  const flat = readList(owners).map(readText);
  const records = new Map<ClusterId, OwnerRecord>();
  for (let i = 0; i < flat.length; i += 2) {
    const [, epoch, movedAt, weight, owner] = /^(\d+) (\d+) (\d+) (.+)$/.exec(flat[i + 1] ?? "") ?? [];
    if (owner === undefined) continue;
    records.set(flat[i] ?? "", {
      owner,
      epoch: Number(epoch),
      movedAt: Number(movedAt),
      weight: Number(weight),
    });
  }
  return { members: readList(members).map(readText), owners: records };
}

/**
 * `claim`: the cluster has no owner. `keep`: we watch it, and Redis has lost the record. `move`: a living member has more than its bound.
 * `weigh`: its weight differs from the record. `free`: we no longer watch it.
 */
export interface Wish {
  readonly verb: "claim" | "keep" | "move" | "weigh" | "free";
  readonly cluster: ClusterId;
  readonly epoch: number;
  readonly weight: number;
}

/** A cluster this member could watch. */
export interface Candidate {
  /** The epoch with which this member watches it now; undefined: it does not. */
  readonly watchedWith: number | undefined;
  /** The last epoch seen, of any owner. */
  readonly lastEpoch: number;
  readonly lastWeight: number;
  /** It has had no owner for so long that its assigned member does not seem to take it. */
  readonly isOrphan: boolean;
}

/** What a member may request now. */
export interface Allowance {
  /** Redis' own clock. */
  readonly now: number;
  readonly stayMs: number;
  /** Otherwise the member takes no cluster that it did not have. */
  readonly mayClaim: boolean;
  readonly mayMove: boolean;
}

/** What a member requests next: what is assigned to it. It takes no cluster from another member without need. */
export function wishesOf(
  me: string,
  view: OwnershipView,
  candidates: ReadonlyMap<ClusterId, Candidate>,
  allowed: Allowance,
): readonly Wish[] {
  const freed = [...view.owners].flatMap(([cluster, record]) =>
    record.owner === me && !candidates.has(cluster) ? [{ ...record, verb: "free", cluster } as const] : [],
  );
  const assigned = assignedTo(me, view, candidates);
  const asked = [...candidates].flatMap(([cluster, candidate]) => {
    const record = view.owners.get(cluster);
    const isOurs = assigned.has(cluster);
    if (record === undefined)
      return wishForNobodys(cluster, candidate, allowed.mayClaim && (isOurs || candidate.isOrphan));
    const mayMove = allowed.mayMove && allowed.now - record.movedAt >= allowed.stayMs;
    return isOurs && mayMove && record.owner !== me ? [{ ...record, verb: "move", cluster } as const] : [];
  });
  return [...freed, ...asked];
}

function wishForNobodys(
  cluster: ClusterId,
  { watchedWith, lastEpoch, lastWeight }: Candidate,
  mayClaim: boolean,
): readonly Wish[] {
  const asked = { cluster, weight: lastWeight };
  if (watchedWith !== undefined) return [{ ...asked, verb: "keep", epoch: watchedWith }];
  return mayClaim ? [{ ...asked, verb: "claim", epoch: lastEpoch }] : [];
}

/** All members weigh the same, like the pods of a Deployment. */
function assignedTo(
  me: string,
  view: OwnershipView,
  candidates: ReadonlyMap<ClusterId, Candidate>,
): ReadonlySet<ClusterId> {
  const placements: Placement[] = [...view.owners].map(([cluster, { weight, owner }]) => ({
    cluster,
    weight,
    owner,
  }));
  for (const [cluster, { lastWeight }] of candidates)
    if (!view.owners.has(cluster)) placements.push({ cluster, weight: lastWeight, owner: undefined });
  const members = view.members.map((id) => ({ id, weight: 1 }));
  const assigned = assignClusters(members, placements);
  return new Set([...assigned].flatMap(([cluster, member]) => (member === me ? [cluster] : [])));
}
