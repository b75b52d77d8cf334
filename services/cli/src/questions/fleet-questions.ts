import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";

/** Which changes are asked for; empty: it does not matter. */
export interface ChangeFilter {
  readonly since: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly change: string;
}

/** Which acts of operators are asked for; empty: it does not matter. */
export interface ActsFilter {
  readonly since: string;
  readonly by: string;
  readonly action: string;
  readonly cluster: string;
  readonly text: string;
}

/** Where something is asked for; empty: everywhere. */
export interface AskedPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The questions about a fleet that its Redis answers, put to it or to a server of it. The answers have the shapes of the API. */
export interface FleetQuestions {
  /** The time from which ages are counted: that of the last answer, in milliseconds. */
  now(): number;
  status(since: string): Promise<ApiAnswer<"status">>;
  clusters(cluster: string): Promise<ApiAnswer<"clusters">["clusters"]>;
  /** At most so many; `count` is that of all. */
  changes(
    filter: ChangeFilter,
    limit: number,
  ): Promise<Pick<ApiAnswer<"changes">, "changes" | "count" | "isCut">>;
  queue(since: string): Promise<ApiAnswer<"queue">>;
  /** At most so many; `count` and `reasons` are those of all. */
  held(
    filter: AskedPlace & { readonly reason: string },
    limit: number,
  ): Promise<Pick<ApiAnswer<"held">, "count" | "holds" | "reasons">>;
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
