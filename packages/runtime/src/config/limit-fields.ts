import type { ConfigOf } from "./field.ts";
import { text } from "./types.ts";

/** How much one process asks of one cluster. */
export const limitFields = {
  clusterQps: {
    schema: wholeNumber("0", { least: 0, most: 100_000 }),
    meta: {
      group: "Clusters and Redis",
      flag: "cluster-qps",
      env: "FLEET_RELOADER_CLUSTER_QPS",
      placeholder: "COUNT",
      description:
        "Requests a second that this process makes of one cluster at most; watches do not count. 0: as many as there is work for.",
    },
  },
  clusterBurst: {
    schema: wholeNumber("100", { least: 1, most: 100_000 }),
    meta: {
      group: "Clusters and Redis",
      flag: "cluster-burst",
      env: "FLEET_RELOADER_CLUSTER_BURST",
      placeholder: "COUNT",
      description: "With --cluster-qps: requests that may be made at once after a pause.",
    },
  },
} as const;

function wholeNumber(
  defaultText: string,
  { least, most }: { readonly least: number; readonly most: number },
) {
  return text(defaultText).transform((value, context) => {
    const count = Number(value);
    if (value.trim() !== "" && Number.isInteger(count) && count >= least && count <= most) return count;
    context.addIssue({ code: "custom", message: `must be a whole number from ${least} to ${most}` });
    return least;
  });
}

/** Undefined: no limit. The API server's own (priority and fairness) is obeyed in any case. */
export function callLimit(
  config: ConfigOf<typeof limitFields>,
): { readonly qps: number; readonly burst: number } | undefined {
  return config.clusterQps === 0 ? undefined : { qps: config.clusterQps, burst: config.clusterBurst };
}
