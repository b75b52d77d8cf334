import type { Request } from "./request.ts";

/** The event that first showed a workload's present interest: its creation, its opt-in, or another reference. */
export interface SeenInterest {
  readonly uid: string;
  /** Undefined where no event showed it: its namespace became served. */
  readonly resourceVersion?: string;
  /** The API server's time. */
  readonly atSeconds: number;
}

/** Since when the workloads of one stream are served. */
export interface ServedRecord {
  /** A name of the settings they are served with. */
  readonly as: string;
  /** The API server's time of the very first list. */
  readonly sinceSeconds: number;
  /** Redis had lost it, and it was restored from applied states on workloads: it is not known what else Redis lost. */
  readonly isRestored: boolean;
}

/** What Redis remembers of one workload. Redis may lose all of it; then it is derived from the cluster. */
export interface WorkloadRecord {
  /** The applied state that was last written and verified; undefined when there was none, or when Redis has lost it. */
  readonly appliedText: string | undefined;
  /** When it was written, in whole seconds of the API server's clock; undefined in older records. */
  readonly appliedAtSeconds: number | undefined;
  /** Since when, in seconds, a source has had other content while the roll for it was held. Undefined: no roll was held. */
  readonly heldSinceSeconds?: number | undefined;
  readonly seen: SeenInterest | undefined;
  /** Undefined: the first list of its stream is not complete, so it is not known what the workload was served with. */
  readonly served: ServedRecord | undefined;
}

/** The workload as it was when its applied state was compared or written. */
export interface ObservedVersion {
  readonly resourceVersion: string;
  /** When the applied state on it was written, in whole seconds of the API server's clock. */
  readonly appliedAtSeconds: number;
}

/** Redis' memory of workloads, as a worker reads and writes it. */
export interface WorkloadRecords {
  read(request: Request): Promise<WorkloadRecord>;
  /**
   * The workload was observed in this version, and this is its applied state now. Returns at once: if the record is lost, the annotation
   * on the workload says the same. An event that shows a newer version stays, because nothing has observed that version yet.
   */
  applied(request: Request, appliedText: string | undefined, observedVersion: ObservedVersion): void;
  /** Keeps the applied state that counts until a write that begins now is verified. Resolves when Redis holds it. */
  keep(request: Request, appliedText: string, atSeconds: number): Promise<void>;
  /**
   * A roll of the workload is held for contents, the first of which was written in this second; undefined: no roll is held any more.
   * Returns at once. `applied` clears it, too.
   */
  held(request: Request, sinceSeconds: number | undefined): void;
  /** The workload was observed, with any result. Returns at once. */
  reconciled(request: Request): void;
}
