import type { AppliedState } from "./applied-state.ts";

/** What is known of a workload's note beside the note itself. */
export interface NoteEvidence {
  /** The note on the workload. */
  readonly noted: AppliedState | undefined;
  /** The API server names us as the one who wrote it. */
  readonly isOwn: boolean;
  /** What counted last, as Redis remembers it: the note that was verified, or that there was none; undefined when it does not. */
  readonly remembered: AppliedState | "none" | undefined;
  readonly uid: string;
  /** A write of ours may be under way, or may have been taken apart: what stands on the workload is not verified. */
  readonly isDoubtful: boolean;
}

/** The note to compare with, and whether the one on the workload is another: gone, copied, old, or not verified. */
export interface TrustedNote {
  readonly applied: AppliedState | undefined;
  readonly isDamaged: boolean;
  /** It is the one that Redis remembers. */
  readonly isRemembered: boolean;
}

/**
 * Third parties delete notes, copy them to other workloads and restore old ones. The note counts when we wrote it for this
 * workload and no later one is remembered; otherwise the remembered one does. Where both fail nothing is known, which is not "unchanged".
 */
export function trustedNote({ noted, isOwn, remembered, uid, isDoubtful }: NoteEvidence): TrustedNote {
  // Notes of before do not count how many there have been, and say nothing that could be compared.
  const note = (isOwn || noted?.count === 0) && isOf(noted, uid) ? noted : undefined;
  // Only the note of a roll says what is not so where the roll was taken out: one that only says what pods carry is true by itself.
  const isUnverified = isDoubtful && note?.template?.togetherUntilSeconds === 0;
  if (remembered === "none" && isUnverified)
    return { applied: undefined, isDamaged: true, isRemembered: true };
  const memory = remembered !== "none" && isOf(remembered, uid) ? remembered : undefined;
  const isRemembered = memory !== undefined;
  if (!isRemembered)
    return { applied: note, isDamaged: note === undefined && noted !== undefined, isRemembered };
  const isOld = note === undefined || note.count < memory.count;
  return isOld || (isUnverified && note.count > memory.count)
    ? { applied: memory, isDamaged: true, isRemembered }
    : { applied: note, isDamaged: false, isRemembered: false };
}

function isOf(applied: AppliedState | undefined, uid: string): boolean {
  return applied !== undefined && (applied.uid === undefined || applied.uid === uid);
}
