import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { DiscardedRoll } from "@fleet-reloader/engine/ask/explanation";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { recordText } from "../history/stream-entry.ts";

export interface LatestDiscardOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
}

/** Small enough to hold up nobody else at Redis. */
const searchedAtOnce = 500;
/** A discard that lies behind so many times as many records is not found, since the caller waits for the answer. */
const searchesMax = 20;

/**
 * Who discarded the last roll of a workload, and why; undefined: nobody did, it was rolled again since, or it is long ago. Reads one stream,
 * from its end, as far as the last roll.
 */
export async function latestDiscard(
  { cluster, workload }: Request,
  { client, keys }: LatestDiscardOptions,
  signal?: AbortSignal,
): Promise<DiscardedRoll | undefined> {
  let end = "+";
  for (let pages = 0; pages < searchesMax; pages += 1) {
    signal?.throwIfAborted();
    const page = await client.connection.xrevrange(keys.history(cluster), end, "-", "COUNT", searchedAtOnce);
    for (const [, fields] of page) {
      const rolled = rollOf(recordText(fields), cluster, workload);
      if (rolled !== undefined) return rolled.discarded;
    }
    const last = page.at(-1)?.[0];
    if (last === undefined || page.length < searchedAtOnce) return undefined;
    end = `(${last}`;
  }
  return undefined;
}

/** What a record says of the last roll of a workload; undefined: it says nothing of it. */
function rollOf(
  text: string,
  cluster: string,
  workload: WorkloadRef,
): { readonly discarded: DiscardedRoll | undefined } | undefined {
  // Most records are of others, and need no reading.
  if (!text.includes(JSON.stringify(workload.name))) return undefined;
  const record = parseHistoryRecord(text);
  if (record?.cluster?.id !== cluster || (record.type !== "action" && record.type !== "outcome"))
    return undefined;
  if (workloadKey(record.workload) !== workloadKey(workload)) return undefined;
  const isDiscard = record.type === "action" && record.action === "discarded";
  const { by = "", why = "" } = isDiscard ? record : {};
  return { discarded: isDiscard ? { by, reason: why, time: record.time } : undefined };
}
