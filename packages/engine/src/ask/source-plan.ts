import type { NoReason, YesReason } from "@fleet-reloader/domain/decision/reasons";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ExplainedSource, ExplainedVerdict } from "./explanation.ts";

/** The answer to "what would happen in this cluster if this source changed now". Names, times and reasons only. */
export interface SourcePlan {
  /** The display name of the cluster. */
  readonly cluster: string;
  readonly source: SourceRef;
  /** The keys that change. */
  readonly keys: ReferencedKeys;
  /** The time of the question, as RFC 3339 in UTC. */
  readonly time: string;
  /** A `missing` source is created. An `unseen` one shows no content that could change. */
  readonly state: "present" | "missing" | "unseen";
  /** For a missing source: the existing name that was probably meant. */
  readonly nearest?: string | undefined;
  /** The asked keys that a present source does not have, each with the existing key that was probably meant; undefined: it has all. */
  readonly absentKeys?: readonly AbsentKey[] | undefined;
  /** False: breakers, budgets and Redis' records are not known. */
  readonly isRedisAsked: boolean;
  /** All workloads of the namespace that use or name it, by name. */
  readonly users: readonly PlannedUser[];
}

/** A key that a source does not have. A plan has it added. */
export interface AbsentKey {
  readonly name: string;
  readonly nearest?: string | undefined;
}

/** A workload that uses or names the source. */
export interface PlannedUser {
  readonly workload: WorkloadRef;
  /** What a worker would do after the change. */
  readonly verdict: ExplainedVerdict;
  /** Whether the change is a reason for that. If not, the workload rolls for another source, or does not roll. */
  readonly isCause: boolean;
  /** Why the source counts for the workload, or does not. */
  readonly reason: YesReason | NoReason | ExplainedSource["reason"];
  readonly reach: ContentReach;
}

/**
 * How a changed content reaches running pods. `files`: Kubernetes updates the mounted files. `restart`: only pods that start later have
 * it, as with variables and subPath mounts. `none`: the pods use none of the changed keys.
 */
export type ContentReach = "files" | "restart" | "none";
