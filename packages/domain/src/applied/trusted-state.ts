import type { AppliedState } from "./applied-state.ts";

/** The applied state on a workload, and what else is known of it. */
export interface AppliedEvidence {
  /** The applied state on the workload. */
  readonly onWorkload: AppliedState | undefined;
  /** The API server names us as its writer. */
  readonly isOwn: boolean;
  /** The last verified state, as Redis remembers it; "none" if there was none. Undefined when Redis does not remember. */
  readonly remembered: AppliedState | "none" | undefined;
  readonly uid: string;
  /** A write of ours may be under way, or somebody may have removed a part of it: the state on the workload is not verified. */
  readonly isDoubtful: boolean;
}

/** The applied state to compare with. `isDamaged`: the one on the workload is missing, copied, old or not verified. */
export interface TrustedState {
  readonly applied: AppliedState | undefined;
  readonly isDamaged: boolean;
  /** Redis remembers exactly this state. */
  readonly isRemembered: boolean;
  /** The state of a roll that is not verified. If the roll has landed, the pods run with this state. */
  readonly unverified?: AppliedState;
}

/**
 * Third parties delete the applied state, copy it to other workloads and restore old ones. The one on the workload counts when we wrote it for this
 * workload and Redis remembers no later one. Otherwise the remembered one counts. Without either nothing is known, which does not mean "unchanged".
 */
export function trustedState({
  onWorkload,
  isOwn,
  remembered,
  uid,
  isDoubtful,
}: AppliedEvidence): TrustedState {
  // States in older formats have no count to compare.
  const own = (isOwn || onWorkload?.count === 0) && isOf(onWorkload, uid) ? onWorkload : undefined;
  // Only the state of a roll becomes wrong when the roll is removed. A state that only records what pods run with stays true.
  const isUnverified = isDoubtful && own?.template?.togetherUntilSeconds === 0;
  if (remembered === "none" && isUnverified)
    return { applied: undefined, isDamaged: true, isRemembered: true, unverified: own };
  const memory = remembered !== "none" && isOf(remembered, uid) ? remembered : undefined;
  if (memory !== undefined) return laterOf(own, memory, isUnverified);
  return { applied: own, isDamaged: own === undefined && onWorkload !== undefined, isRemembered: false };
}

/** A state on the workload that Redis does not remember counts when it is not older and its roll is verified. */
function laterOf(own: AppliedState | undefined, memory: AppliedState, isUnverified: boolean): TrustedState {
  if (own === undefined || own.count < memory.count)
    return { applied: memory, isDamaged: true, isRemembered: true };
  return isUnverified && own.count > memory.count
    ? { applied: memory, isDamaged: true, isRemembered: true, unverified: own }
    : { applied: own, isDamaged: false, isRemembered: false };
}

function isOf(applied: AppliedState | undefined, uid: string): boolean {
  return applied !== undefined && (applied.uid === undefined || applied.uid === uid);
}
