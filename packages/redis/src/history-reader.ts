import { type HistoryFilter, isWanted } from "@fleet-reloader/contracts/history-filter";
import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

/** A record and its place: whoever has read so far goes on after it. */
export interface HistoryLine {
  readonly id: string;
  readonly record: HistoryRecord;
}

export interface HistoryQuery extends HistoryFilter {
  /** From this time on, or after the line with this id. */
  readonly since: { readonly ms: number } | { readonly afterId: string };
  /** At most so many. */
  readonly limit: number;
}

/** Small enough to hold up nobody else at Redis. */
const pageSize = 500;

/** Reads the history, oldest first, a page at a time: never more than a page of each shard is in memory. */
export class HistoryReader {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = client;
    this.#keys = keys;
  }

  /** What keeps the history from being read, a line each. */
  get notReady(): readonly string[] {
    return this.#client.notReady;
  }

  async *read(query: HistoryQuery): AsyncGenerator<HistoryLine> {
    const start =
      "ms" in query.since ? String(Math.max(0, Math.floor(query.since.ms))) : `(${query.since.afterId}`;
    let left = query.limit;
    for await (const line of inOrder(this.#keys.histories.map((key) => this.#shard(key, start)))) {
      if (!isWanted(line.record, query)) continue;
      if (left === 0) return;
      left -= 1;
      yield line;
    }
  }

  async *#shard(key: string, start: string): AsyncGenerator<HistoryLine> {
    let from = start;
    for (;;) {
      const page = await this.#client.connection.xrange(key, from, "+", "COUNT", pageSize);
      for (const [id, fields] of page) {
        const record = parseHistoryRecord(fields[fields.indexOf("record") + 1] ?? "");
        // Of a later version: whoever wrote it knows what it means.
        if (record !== undefined) yield { id, record };
      }
      const last = page.at(-1)?.[0];
      if (last === undefined || page.length < pageSize) return;
      from = `(${last}`;
    }
  }
}

/** The lines of all shards in the order in which they were written. */
async function* inOrder(shards: readonly AsyncGenerator<HistoryLine>[]): AsyncGenerator<HistoryLine> {
  const heads = new Map<AsyncGenerator<HistoryLine>, HistoryLine>();
  const advance = async (shard: AsyncGenerator<HistoryLine>): Promise<void> => {
    const next = await shard.next();
    if (next.done === true) heads.delete(shard);
    else heads.set(shard, next.value);
  };
  for (const shard of shards) await advance(shard);
  for (;;) {
    const [first, ...others] = heads;
    if (first === undefined) return;
    const [shard, line] = others.reduce((best, one) => (isBefore(one[1].id, best[1].id) ? one : best), first);
    yield line;
    await advance(shard);
  }
}

/** Ids are `milliseconds-number`. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split("-").map(Number);
  const [bMs = 0, bNumber = 0] = b.split("-").map(Number);
  return aMs === bMs ? aNumber < bNumber : aMs < bMs;
}
