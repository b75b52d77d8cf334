import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { Purpose } from "@fleet-reloader/engine/ports/workqueue";

/** What lies in the queue for a request: its identity. What it is about is read when it is handled. */
export interface RequestJob {
  readonly cluster: string;
  readonly workload: string;
  /** A run of it was aborted, and may have left a write under way. BullMQ counts no such attempt, so the entry itself says it. */
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

/** The name of a queue entry says why the workload is looked at; what an older version called otherwise is a change. */
export function purposeOf(jobName: string): Purpose {
  return purposes.find((purpose) => purpose === jobName) ?? "change";
}

/**
 * The deduplication id: one pending run per workload, and beside it the end of its pause, and the look at its rollout. Names hold no
 * `|`: injective.
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
