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
  /** Redis had forgotten it, and it was restored from applied states on workloads: nobody knows what else Redis forgot. */
  readonly isRestored: boolean;
}

/** What Redis remembers of one workload. All of it may be lost, and then is established from the cluster. */
export interface WorkloadRecord {
  /** The applied state that was written last and verified; undefined when there was none, or it is forgotten. */
  readonly appliedText: string | undefined;
  /** When it was written, in whole seconds of the API server's clock; undefined in records of before. */
  readonly appliedAtSeconds: number | undefined;
  /** Since when, in seconds, a source of it contained something else, while the roll for that was held. Undefined: no roll was. */
  readonly heldSinceSeconds?: number | undefined;
  readonly seen: SeenInterest | undefined;
  /** Undefined: the first list of its stream is not complete; nothing can be said of what it was served with. */
  readonly served: ServedRecord | undefined;
}

/** The workload as it was when its applied state was compared or written. */
export interface ObservedVersion {
  readonly resourceVersion: string;
  /** When the applied state on it was written, in whole seconds of the API server's clock. */
  readonly appliedAtSeconds: number;
}

/** What a worker asks of, and tells, Redis' memory of workloads. */
export interface WorkloadRecords {
  read(request: Request): Promise<WorkloadRecord>;
  /**
   * It was observed like this, and this is its applied state now. Returns at once: where it is lost, the annotation on the
   * workload says the same. An event that shows a newer version stays: nobody has observed what it shows.
   */
  applied(request: Request, appliedText: string | undefined, observedVersion: ObservedVersion): void;
  /** Keeps the applied state that counts until a write that begins now is verified. Resolves when Redis holds it. */
  keep(request: Request, appliedText: string, atSeconds: number): Promise<void>;
  /**
   * A roll of it was held for contents of which the first was written in this second; undefined: no more. Returns at once. What is applied forgets
   * it, too.
   */
  held(request: Request, sinceSeconds: number | undefined): void;
  /** It was observed, with any result. Returns at once. */
  reconciled(request: Request): void;
}
