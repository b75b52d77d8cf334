import type { AuditedUser, AuditedWrite } from "@fleet-reloader/domain/hint/audited-write";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "../ports/request.ts";

/** A hint that waits to be read. A repeated hint replaces the one before and has a larger number. */
export interface PendingHint {
  /** As `hintKey` makes it, or `anythingKey`. */
  readonly key: string;
  readonly number: number;
}

/** Takes hints from any process that received them, and gives them to the process that watches the cluster. */
export interface HintStore {
  /** Resolves when the hints are stored: from then on a stop of any process loses none. If there are too many, all become one. */
  add(cluster: ClusterId, keys: ReadonlySet<string>): Promise<void>;
  /** Calls back with the stored hints that are not settled, at first and whenever more come. Resolves when the signal is aborted. */
  follow(
    cluster: ClusterId,
    signal: AbortSignal,
    onHints: (hints: readonly PendingHint[]) => void,
  ): Promise<void>;
  /** Settles hints that were read and whose requests are published. A hint that was repeated since then stays. */
  settle(cluster: ClusterId, hints: readonly PendingHint[]): Promise<void>;
}

/** Remembers who wrote sources, as long as somebody may ask. If there are too many, the oldest are forgotten. */
export interface AuditedWrites {
  add(cluster: ClusterId, writes: readonly AuditedWrite[]): Promise<void>;
  /** The users who may have made this write; none where no report of it has come. */
  candidates(cluster: ClusterId, write: AskedWrite): Promise<readonly AuditedUser[]>;
}

/** A write of a source, as the source itself shows it. */
export interface AskedWrite {
  readonly source: SourceRef;
  readonly manager: string;
  readonly atSeconds: number;
}
