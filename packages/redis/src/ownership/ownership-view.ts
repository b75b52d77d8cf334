import { assignClusters, type Placement } from "@fleet-reloader/domain/ownership/assign-clusters";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { readList, readText } from "../index/index-entry.ts";
import type { ReachState } from "./cluster-reach.ts";

/** The owner of a cluster in Redis. Only living members have records. */
export interface OwnerRecord {
  readonly owner: string;
  /** Grows with each change of owner. */
  readonly epoch: number;
  /** When it was last moved from one living member to another; 0 for never. */
  readonly movedAt: number;
  readonly weight: number;
  /** The owner does not reach it: another member that does may take it. */
  readonly isOffered: boolean;
}

/** The state that all members see. */
export interface OwnershipView {
  readonly members: readonly string[];
  readonly owners: ReadonlyMap<ClusterId, OwnerRecord>;
}

/** Records in the format of another version count as no owner. */
export function readView(members: unknown, owners: unknown, offers: unknown = []): OwnershipView {
  const offered = readHash(offers);
  const records = new Map<ClusterId, OwnerRecord>();
  for (const [cluster, text] of readHash(owners)) {
    const [, epoch, movedAt, weight, owner] = /^(\d+) (\d+) (\d+) (.+)$/.exec(text) ?? [];
    if (owner === undefined) continue;
    records.set(cluster, {
      owner,
      epoch: Number(epoch),
      movedAt: Number(movedAt),
      weight: Number(weight),
      // An offer of an earlier owner says nothing about this one.
      isOffered: offered.get(cluster) === epoch,
    });
  }
  return { members: readList(members).map(readText), owners: records };
}

function readHash(flat: unknown): ReadonlyMap<string, string> {
  const texts = readList(flat).map(readText);
  const pairs = new Map<string, string>();
  for (let i = 0; i < texts.length; i += 2) pairs.set(texts[i] ?? "", texts[i + 1] ?? "");
  return pairs;
}

/**
 * `claim`: the cluster has no owner. `keep`: we watch it, and Redis has lost the record. `move`: a living member has more than its bound.
 * `weigh`: its weight differs from the record. `free`: we no longer watch it. `offer`: we watch it and do not reach it. `retain`: we reach it
 * again. `take`: its owner offers it, and we reach it.
 */
export interface Wish {
  readonly verb: "claim" | "keep" | "move" | "weigh" | "free" | "offer" | "retain" | "take";
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
  /** It has had no owner, or been offered, for so long that its assigned member does not seem to take it. */
  readonly isOrphan: boolean;
  readonly reach: ReachState;
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
  const takers = takersOf(view);
  const asked = [...candidates].flatMap(([cluster, candidate]) => {
    const record = view.owners.get(cluster);
    const isOurs = assigned.has(cluster);
    if (record === undefined)
      return wishForNobodys(cluster, candidate, allowed.mayClaim && (isOurs || candidate.isOrphan));
    const verb =
      record.owner === me
        ? verbForOurs(record, candidate)
        : verbForAnothers(record, candidate, allowed, { isOurs, isTaker: takers.get(cluster) === me });
    return verb === undefined ? [] : [{ ...record, verb, cluster }];
  });
  return [...freed, ...asked];
}

function verbForOurs({ isOffered }: OwnerRecord, { reach }: Candidate): Wish["verb"] | undefined {
  const isLost = reach === "lost";
  if (isLost === isOffered) return undefined;
  return isLost ? "offer" : "retain";
}

/** A cluster that we do not reach is better with any owner than with us. */
function verbForAnothers(
  { isOffered, movedAt }: OwnerRecord,
  { isOrphan, reach }: Candidate,
  { mayClaim, mayMove, now, stayMs }: Allowance,
  { isOurs, isTaker }: { readonly isOurs: boolean; readonly isTaker: boolean },
): Wish["verb"] | undefined {
  if (isOffered) return mayClaim && reach === "steady" && (isTaker || isOrphan) ? "take" : undefined;
  const isReached = reach === "back" || reach === "steady";
  return isOurs && isReached && mayMove && now - movedAt >= stayMs ? "move" : undefined;
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

/** Who takes each offered cluster: they are spread evenly, and who offers one gets none, since it may reach the others as little. */
function takersOf({ members, owners }: OwnershipView): ReadonlyMap<ClusterId, string> {
  const offered = [...owners].filter(([, { isOffered }]) => isOffered);
  const offering = new Set(offered.map(([, { owner }]) => owner));
  const takers = members.filter((id) => !offering.has(id)).map((id) => ({ id, weight: 1 }));
  const placements = offered.map(([cluster, { weight }]) => ({ cluster, weight, owner: undefined }));
  return assignClusters(takers, placements);
}
