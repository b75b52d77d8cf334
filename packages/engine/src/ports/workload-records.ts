import type { Request } from "./request.ts";

/** The event with which a workload's present interest was first seen: its making, its opt-in, another reference. */
export interface SeenInterest {
  readonly uid: string;
  /** Undefined where no event showed it: its namespace has come to be served. */
  readonly resourceVersion?: string;
  /** The API server's time. */
  readonly atSeconds: number;
}

/** Since when the workloads of one stream are served. */
export interface ServedRecord {
  /** Names the settings they are served with. */
  readonly as: string;
  /** The API server's time of the first list ever. */
  readonly sinceSeconds: number;
  /** Redis had forgotten it, and notes on workloads told it: what else Redis forgot, nobody knows. */
  readonly isRestored: boolean;
}

/** What Redis remembers of one workload. All of it may be lost, and then is established from the cluster. */
export interface WorkloadRecord {
  /** The note that was written last, verified; undefined when there was none, or it is forgotten. */
  readonly note: string | undefined;
  /** When it was written, in whole seconds of the API server's clock; undefined in records of before. */
  readonly notedAtSeconds: number | undefined;
  readonly seen: SeenInterest | undefined;
  /** Undefined: the first list of its stream is not complete; nothing can be said of what it was served with. */
  readonly served: ServedRecord | undefined;
}

/** The workload as it was when its note was compared or written. */
export interface ObservedVersion {
  readonly resourceVersion: string;
  /** When the note on it was written, in whole seconds of the API server's clock. */
  readonly notedAtSeconds: number;
}

/** What a worker asks of, and tells, Redis' memory of workloads. */
export interface WorkloadRecords {
  read(request: Request): Promise<WorkloadRecord>;
  /**
   * It has been observed like this, and this is its note now. Returns at once: where it is lost, the note on the workload says
   * the same. An event that shows a newer version stays: nobody has observed what it shows.
   */
  noted(request: Request, note: string | undefined, observedVersion: ObservedVersion): void;
  /** The note that counts until a write that begins now is verified. Resolves when Redis holds it. */
  keep(request: Request, note: string, atSeconds: number): Promise<void>;
  /** It has been looked at, to whatever end. Returns at once. */
  reconciled(request: Request): void;
}

/** Names a stream of workloads in records and for people. */
export function streamName(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}
