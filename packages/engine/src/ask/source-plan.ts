import type { NoReason, YesReason } from "@fleet-reloader/domain/decision/reasons";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ExplainedSource, ExplainedVerdict } from "./explanation.ts";

/** The answer to "what would happen in this cluster if this source changed now". Names, times and reasons only. */
export interface SourcePlan {
  /** What people call the cluster. */
  readonly cluster: string;
  readonly source: SourceRef;
  /** The keys that change. */
  readonly keys: ReferencedKeys;
  /** When it was asked, as RFC 3339 in UTC. */
  readonly time: string;
  /** A `missing` source is created. What is `unseen` shows no content that could change. */
  readonly state: "present" | "missing" | "unseen";
  /** Of a missing one: the existing name that was probably meant. */
  readonly nearest?: string | undefined;
  /** Otherwise breakers, budgets and what Redis remembers are not known. */
  readonly isRedisAsked: boolean;
  /** All workloads of the namespace that use or name it, by name. */
  readonly users: readonly PlannedUser[];
}

/** A workload that uses or names the source. */
export interface PlannedUser {
  readonly workload: WorkloadRef;
  /** What a worker would do after the change. */
  readonly verdict: ExplainedVerdict;
  /** The change is a reason of that. Otherwise the workload rolls for another source, or does not roll. */
  readonly isCause: boolean;
  /** Why the source counts for the workload, or does not. */
  readonly reason: YesReason | NoReason | ExplainedSource["reason"];
  readonly reach: ContentReach;
}

/**
 * How a changed content comes to running pods. `files`: Kubernetes updates the mounted files. `restart`: only pods that start later have
 * it, as with variables and subPath mounts. `none`: the pods use nothing of what has changed.
 */
export type ContentReach = "files" | "restart" | "none";
