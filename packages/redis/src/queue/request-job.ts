import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { Purpose } from "@fleet-reloader/engine/ports/workqueue";

/** The payload of a request in the queue: its identity. Everything else is read when the request is handled. */
export interface RequestJob {
  readonly cluster: string;
  readonly workload: string;
  /** A run was aborted and may have left a write under way. BullMQ does not count such a run, so the entry itself stores it. */
  readonly isDoubtful?: true;
}

export function toJob(request: Request): RequestJob {
  return { cluster: request.cluster, workload: workloadKey(request.workload) };
}

/** Undefined when somebody else put something into our queue. */
export function fromJob(data: unknown): Request | undefined {
  if (typeof data !== "object" || data === null || !("cluster" in data) || !("workload" in data))
    return undefined;
  if (typeof data.cluster !== "string" || typeof data.workload !== "string") return undefined;
  const workload = parseWorkloadKey(data.workload);
  return workload === undefined ? undefined : { cluster: data.cluster, workload };
}

/** Whether the entry says that a run of it was aborted. */
export function isAborted(data: unknown): boolean {
  return typeof data === "object" && data !== null && "isDoubtful" in data && data.isDoubtful === true;
}

/** The name of a queue entry is the purpose of the request; unknown names, from an older version, are changes. */
export function purposeOf(jobName: string): Purpose {
  return purposes.find((purpose) => purpose === jobName) ?? "change";
}

/**
 * The deduplication id: one pending run per workload, plus one each for the end of its pause, the check of its rollout and its audit. Names
 * contain no `|`, so ids are unique.
 */
export function requestId(request: Request, purpose: Purpose): string {
  const id = `${request.cluster}|${workloadKey(request.workload)}`;
  return isBeside(purpose) ? `${id}|${purpose}` : id;
}

const purposes = ["adoption", "resume", "follow", "audit"] as const satisfies readonly Purpose[];

/** It waits beside a change of the same workload. */
function isBeside(purpose: Purpose): boolean {
  return purpose === "resume" || purpose === "follow" || purpose === "audit";
}
