import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { ActPart } from "../history/history.ts";
import type { Request } from "../ports/request.ts";

/** Who acts, why, and in which part of the act. */
export interface ActWords {
  readonly by: string;
  readonly reason: string;
  /** Undefined: all is done at once. */
  readonly part?: ActPart | undefined;
}

/** Where a workload stands in an act on many: workloads are done in the order of these texts. */
export function actPlace({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}

/** The same requests in the order in which an act does them. */
export function inActOrder<R extends Request>(requests: readonly R[]): readonly R[] {
  const placed = requests.map((request) => [actPlace(request), request] as const);
  return placed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, request]) => request);
}

/** Those that come after a place; empty: all. */
export function afterPlace<R extends Request>(requests: readonly R[], place: string): readonly R[] {
  return requests.filter((request) => actPlace(request) > place);
}
