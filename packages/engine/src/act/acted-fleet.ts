import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../async/clock.ts";
import type { ActionRecord, HistoryRecord, OperatorRecord } from "../history/history.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import type { FleetOverview } from "../overview/fleet-overview.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import type { FreezeReadings } from "./freeze-reading.ts";

/** A breaker that holds rolls now, or will at the next roll. */
export interface OpenBreaker {
  readonly key: string;
  /** Wall time at which it admits a roll on trial, in milliseconds. */
  readonly untilMs: number;
}

/** The breakers of a fleet that a person can close. */
export interface ReleasedBreakers {
  ofWorkload(request: Request): Promise<readonly OpenBreaker[]>;
  ofSource(clusters: readonly ClusterId[], source: SourceRef): Promise<readonly OpenBreaker[]>;
  /** Closes these breakers: they start again. */
  close(breakers: readonly OpenBreaker[]): Promise<void>;
}

/** The parts of a fleet that acts of people read and change. */
export interface ActedFleet {
  readonly overview: Pick<FleetOverview, "clusters" | "managed">;
  readonly queue: Pick<Workqueue, "add" | "waits">;
  readonly breakers: ReleasedBreakers;
  readonly readings: FreezeReadings;
  readonly names: NameMatches;
  readonly clock: Clock;
  /** Writes to the history. Resolves when that has been tried: the act is done then, whether it could be recorded or not. */
  record(record: OperatorRecord): Promise<void>;
  /** The records of the history since a time or an age; an empty text means the last hour. */
  history(since: string): Promise<readonly HistoryRecord[]>;
  /** Records that failed rolls are discarded. Faults when that cannot be written. */
  recordDiscards(records: readonly ActionRecord[]): Promise<void>;
}
