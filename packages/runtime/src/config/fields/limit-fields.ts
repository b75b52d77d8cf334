import { type ConfigOf, inGroup } from "../field.ts";
import { wholeNumber } from "../types.ts";

/** Limits of the requests of one process to one cluster. */
export const limitFields = inGroup("Clusters and Redis", {
  clusterQps: {
    schema: wholeNumber("0", 0, 100_000),
    meta: {
      flag: "cluster-qps",
      placeholder: "COUNT",
      description:
        "Maximum requests per second of this process to one cluster. Watches do not count. 0 means no limit.",
    },
  },
  clusterBurst: {
    schema: wholeNumber("100", 1, 100_000),
    meta: {
      flag: "cluster-burst",
      placeholder: "COUNT",
      description: "With --cluster-qps: maximum requests at once after a pause.",
    },
  },
});

/** Undefined: no limit. The limits of the API server (priority and fairness) are always obeyed. */
export function callLimit(
  config: ConfigOf<typeof limitFields>,
): { readonly qps: number; readonly burst: number } | undefined {
  return config.clusterQps === 0 ? undefined : { qps: config.clusterQps, burst: config.clusterBurst };
}
