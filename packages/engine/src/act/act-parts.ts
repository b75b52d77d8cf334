import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { type ActPart, historyVersion, type OperatorRecord } from "../history/history.ts";
import type { Request } from "../ports/request.ts";
import type { ObjectPlace } from "./meant-workloads.ts";

/** Who acts, why, and in which part of the act. */
export interface ActWords {
  readonly by: string;
  readonly reason: string;
  /** Undefined: the whole act is done at once. */
  readonly part?: ActPart | undefined;
}

/** The place of a workload in an act on many: an act does its workloads in the order of these texts. */
export function actPlace({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}

/** The same requests in the order of an act. */
export function inActOrder<R extends Request>(requests: readonly R[]): readonly R[] {
  const placed = requests.map((request) => [actPlace(request), request] as const);
  return placed.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, request]) => request);
}

/** The requests that come after a place; all of them if the place is empty. */
export function afterPlace<R extends Request>(requests: readonly R[], place: string): readonly R[] {
  return requests.filter((request) => actPlace(request) > place);
}

/** The record of an act on workloads, or of a part of it. `count`: how many of them it was done on. */
export function actRecord(
  done: Pick<OperatorRecord, "time" | "action" | "target"> & {
    readonly place: ObjectPlace;
    readonly about: Pick<NonNullable<OperatorRecord["scope"]>, "workload" | "source">;
    readonly count: number;
  },
  { by, part, reason }: ActWords,
): OperatorRecord {
  const { about, action, count, place, target, time } = done;
  const where = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== ""));
  const scope = Object.assign(where, about);
  const note = `${reason} (${count})`;
  const act = { v: historyVersion, time, type: "operator", action, by, target, scope, note } as const;
  return Object.assign({}, act, part === undefined ? { reason, count } : { reason, count, part });
}
