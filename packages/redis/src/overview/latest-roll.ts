import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import { failureMeaning } from "@fleet-reloader/domain/rollout-state/failure-meaning";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { EndedBadly } from "@fleet-reloader/engine/ask/explanation";
import type { ActionRecord, OutcomeRecord } from "@fleet-reloader/engine/history/history";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis } from "../connection/client.ts";
import { recordText } from "../history/stream-entry.ts";

/** Small enough not to delay other clients of Redis. */
const searchedAtOnce = 500;
/** Maximum of reads of `searchedAtOnce` records, since the caller waits for the answer; an older roll is not found. */
const searchesMax = 20;

/**
 * How the last roll of a workload failed, or who discarded it; nothing when it did not fail, was rolled again since, or is too long ago. Reads
 * one stream backwards to the last roll.
 */
export async function latestRoll(
  { cluster, workload }: Request,
  { client, keys }: KeyedRedis,
  signal?: AbortSignal,
): Promise<EndedBadly> {
  let end = "+";
  for (let pages = 0; pages < searchesMax; pages += 1) {
    signal?.throwIfAborted();
    const page = await client.connection.xrevrange(keys.history(cluster), end, "-", "COUNT", searchedAtOnce);
    for (const [, fields] of page) {
      const rolled = rollOf(recordText(fields), cluster, workload);
      if (rolled !== undefined) return rolled;
    }
    const last = page.at(-1)?.[0];
    if (last === undefined || page.length < searchedAtOnce) return {};
    end = `(${last}`;
  }
  return {};
}

/** What a record says about the last roll of a workload; undefined: nothing. */
function rollOf(text: string, cluster: string, workload: WorkloadRef): EndedBadly | undefined {
  // Most records are about other workloads and need no parsing.
  if (!text.includes(JSON.stringify(workload.name))) return undefined;
  const record = parseHistoryRecord(text);
  if (record?.cluster?.id !== cluster || (record.type !== "action" && record.type !== "outcome"))
    return undefined;
  if (workloadKey(record.workload) !== workloadKey(workload)) return undefined;
  return record.type === "action" ? rollAfterAction(record) : rollAfterOutcome(record);
}

function rollAfterAction({ action, by = "", fault = "", time, why = "" }: ActionRecord): EndedBadly {
  if (action === "discarded") return { discarded: { by, reason: why, time } };
  if (action === "rolled") return {};
  return { failed: { result: "failed", reason: fault, meaning: failureMeaning(fault), time } };
}

function rollAfterOutcome({ message, reason, result, time }: OutcomeRecord): EndedBadly {
  if (result === "healthy") return {};
  const failed = { result, reason, meaning: failureMeaning(reason), time };
  return { failed: message === undefined ? failed : Object.assign(failed, { message }) };
}
