import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import type { OperatorActFilter } from "@fleet-reloader/engine/act/operator-acts";
import type { HoldFilter } from "@fleet-reloader/engine/overview/chosen-holds";
import type { RecordFilters } from "@fleet-reloader/redis/overview/recent-records";

/** Which acts of operators are asked for; empty: it does not matter. */
export type ActsFilter = OperatorActFilter & Pick<RecordFilters, "since" | "cluster">;

/** Where something is asked for; empty: everywhere. */
export type AskedPlace = Pick<RecordFilters, "cluster" | "namespace">;

/** The questions about a fleet that its Redis answers, put to it or to a server of it. The answers have the shapes of the API. */
export interface FleetQuestions {
  /** The time from which ages are counted: that of the last answer, in milliseconds. */
  now(): number;
  status(since: string): Promise<ApiAnswer<"status">>;
  clusters(cluster: string): Promise<ApiAnswer<"clusters">["clusters"]>;
  /** At most so many; `count` is that of all. */
  changes(
    filter: RecordFilters,
    limit: number,
  ): Promise<Pick<ApiAnswer<"changes">, "changes" | "count" | "isCut">>;
  queue(since: string): Promise<ApiAnswer<"queue">>;
  /** At most so many; `count` and `reasons` are those of all. */
  held(filter: HoldFilter, limit: number): Promise<Pick<ApiAnswer<"held">, "count" | "holds" | "reasons">>;
  /** At most so many; `count` is that of all. */
  operators(
    filter: ActsFilter,
    limit: number,
  ): Promise<Pick<ApiAnswer<"operators">, "acts" | "count" | "isCut">>;
  /** At most so many; `count` is that of all. */
  managed(
    place: AskedPlace,
    limit: number,
  ): Promise<Pick<ApiAnswer<"managed">, "clusterCount" | "count" | "workloads">>;
}
