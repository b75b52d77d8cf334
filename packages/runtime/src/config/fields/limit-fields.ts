import type { ConfigOf } from "../field.ts";
import { wholeNumber } from "../types.ts";

/** Limits of the requests of one process to one cluster. */
export const limitFields = {
  clusterQps: {
    schema: wholeNumber("0", 0, 100_000),
    meta: {
      group: "Clusters and Redis",
      flag: "cluster-qps",
      env: "FLEET_RELOADER_CLUSTER_QPS",
      placeholder: "COUNT",
      description:
        "Maximum requests per second of this process to one cluster. Watches do not count. 0 means no limit.",
    },
  },
  clusterBurst: {
    schema: wholeNumber("100", 1, 100_000),
    meta: {
      group: "Clusters and Redis",
      flag: "cluster-burst",
      env: "FLEET_RELOADER_CLUSTER_BURST",
      placeholder: "COUNT",
      description: "With --cluster-qps: maximum requests at once after a pause.",
    },
  },
} as const;

/** Undefined: no limit. The limits of the API server (priority and fairness) are always obeyed. */
export function callLimit(
  config: ConfigOf<typeof limitFields>,
): { readonly qps: number; readonly burst: number } | undefined {
  return config.clusterQps === 0 ? undefined : { qps: config.clusterQps, burst: config.clusterBurst };
}
