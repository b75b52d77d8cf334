import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload";
import type { Request } from "@fleet-reloader/engine/request";

/** What lies in the queue for a request: its identity and nothing else (decision 2). */
export interface RequestJob {
  readonly cluster: string;
  readonly workload: string;
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

/** The deduplication id: one pending run per workload. Names hold no `|`, so it is injective. */
export function requestId(request: Request): string {
  return `${request.cluster}|${workloadKey(request.workload)}`;
}
