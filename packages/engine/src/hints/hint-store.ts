import type { AuditedUser, AuditedWrite } from "@fleet-reloader/domain/hint/audited-write";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "../ports/request.ts";

/** A hint that waits to be read. A repeated hint replaces the one before and has a larger number. */
export interface PendingHint {
  /** As `hintKey` makes it, or `anythingKey`. */
  readonly key: string;
  readonly number: number;
}

/** Takes hints from whichever process received them, and gives them to the process that watches the cluster. */
export interface HintStore {
  /** Resolves when the hints are stored: from then on a stop of any process loses none. Of too many, all become one. */
  add(cluster: ClusterId, keys: ReadonlySet<string>): Promise<void>;
  /** Calls back with hints that were stored and not settled, at first and whenever there are more. Resolves when the signal is aborted. */
  follow(
    cluster: ClusterId,
    signal: AbortSignal,
    onHints: (hints: readonly PendingHint[]) => void,
  ): Promise<void>;
  /** These were read, and whatever they led to is published. One that was repeated since stays. */
  settle(cluster: ClusterId, hints: readonly PendingHint[]): Promise<void>;
}

/** Remembers who wrote sources for as long as somebody may ask. Of too many the oldest are forgotten. */
export interface AuditedWrites {
  add(cluster: ClusterId, writes: readonly AuditedWrite[]): Promise<void>;
  /** Who may have made this write; nobody where no report of it has come. */
  candidates(cluster: ClusterId, write: AskedWrite): Promise<readonly AuditedUser[]>;
}

/** A write of a source, as the source itself tells it. */
export interface AskedWrite {
  readonly source: SourceRef;
  readonly manager: string;
  readonly atSeconds: number;
}
