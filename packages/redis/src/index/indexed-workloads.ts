import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import { parseWorkloadKey, type WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis } from "../connection/client.ts";
import { readList, readText } from "./index-entry.ts";

/** An opted-in workload in the reference index. */
export interface IndexedWorkload {
  readonly ref: WorkloadRef;
  /** The object that it refers to for its pod template. */
  readonly templateOwner: WorkloadRef | undefined;
  /** Keys of the sources that it names or references. */
  readonly sources: readonly string[];
  /** Pairs of a source kind and a name pattern. */
  readonly patterns: readonly (readonly [string, string])[];
}

/** Entries per scan: a millisecond of Redis. */
const batch = 1000;

/** The workloads in the index of a cluster, for people to read: those of a namespace, or all if it is empty. May miss a change during the scan. */
export async function indexedWorkloads(
  cluster: ClusterId,
  { client, keys }: KeyedRedis,
  namespace = "",
): Promise<readonly IndexedWorkload[]> {
  const found = new Map<string, IndexedWorkload>();
  const pattern = namespace === "" ? "*" : `*/${globText(namespace)}/*`;
  const { workloads } = keys.cluster(cluster);
  let cursor = "0";
  do {
    const [next, flat] = await client.connection.hscan(workloads, cursor, "MATCH", pattern, "COUNT", batch);
    for (let at = 0; at < flat.length; at += 2) {
      const key = flat[at] ?? "";
      const ref = parseWorkloadKey(key);
      if (ref !== undefined) found.set(key, { ref, ...usesOf(flat[at + 1] ?? "") });
    }
    cursor = next;
  } while (cursor !== "0");
  return [...found.values()];
}

/** Escapes a person's text, so that it has no meaning in a glob of Redis. */
function globText(text: string): string {
  return text.replaceAll(/[\\*?[\]^]/g, "\\$&");
}

function usesOf(text: string): Omit<IndexedWorkload, "ref"> {
  const entry = parseJson(text);
  return {
    templateOwner: parseWorkloadKey(readText(jsonField(entry, "o"))),
    sources: readList(jsonField(entry, "s")).map(readText),
    patterns: readList(jsonField(entry, "p")).map((pair) => {
      const [kind, item] = readList(pair);
      return [readText(kind), readText(item)] as const;
    }),
  };
}
