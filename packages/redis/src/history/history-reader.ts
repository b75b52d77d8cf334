import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { Cluster } from "ioredis";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { byShardPlace, readPlace, recordText, type ShardPlace, streamPages } from "./stream-entry.ts";
import { wantedRecords } from "./wanted-records.ts";

/** A record and its place among those of all shards, `milliseconds-number-shard`: a reader continues after the last place it has read. */
export interface HistoryLine {
  readonly id: string;
  readonly record: HistoryRecord;
}

/** Whether the caller may see a record. */
export type SeesRecord = (record: HistoryRecord) => boolean;

/** Reads the history, oldest first, a page at a time: never more than a page of each shard is in memory. */
export class HistoryReader {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#keys = keys;
  }

  /** Why the history cannot be read, one per line. */
  get notReady(): readonly string[] {
    return this.#client.notReady;
  }

  /**
   * Reads up to the moment of this call. A later record may land in a shard that was already read, before a line that was already returned: a
   * reader that continues after that line would miss it. Rejects with the reason of the signal when it is aborted.
   */
  async *read(query: HistoryQuery, signal?: AbortSignal): AsyncGenerator<HistoryLine> {
    const end = String((await this.#now()) - 1);
    const only = onlyStream(query, this.#keys);
    const mayMatch = textFilter(query);
    const shards = this.#keys.histories.flatMap((key, shard) =>
      only === undefined || key === only
        ? [this.#shard({ key, shard, start: rangeStartOf(query.since, shard), end, mayMatch }, signal)]
        : [],
    );
    let left = query.limit;
    const isWanted = await wantedRecords(query, { client: this.#client, keys: this.#keys }, signal);
    for await (const { id, shard, record } of inTimeOrder(shards)) {
      if (!isWanted(record)) continue;
      if (left === 0) return;
      left -= 1;
      yield { id: `${id}-${shard}`, record };
    }
  }

  /** Only the records, all at once. Only visible records count towards the limit. */
  async records(
    query: HistoryQuery,
    signal?: AbortSignal,
    isSeen: SeesRecord = () => true,
  ): Promise<readonly HistoryRecord[]> {
    return await collectRecords(this, query, signal, isSeen);
  }

  /** The time in milliseconds by the clock that makes the ids; of several nodes the slowest: nothing before it is written any more. */
  async #now(): Promise<number> {
    const { connection } = this.#client;
    // The first command waits until the nodes of a cluster are known.
    await connection.ping();
    const servers = connection instanceof Cluster ? connection.nodes("master") : [connection];
    const times = await Promise.all(servers.map((server) => server.time()));
    return Math.min(...times.map(([seconds = 0, micros = 0]) => seconds * 1000 + Math.floor(micros / 1000)));
  }

  async *#shard(
    { key, shard, start, end, mayMatch }: ShardRange,
    signal?: AbortSignal,
  ): AsyncGenerator<ShardLine> {
    for await (const page of streamPages(this.#client, key, { start, end }, signal))
      for (const [id, fields] of page) {
        const text = recordText(fields);
        if (!mayMatch(text)) continue;
        const record = parseHistoryRecord(text);
        // A later version wrote it and knows its meaning.
        if (record !== undefined) yield { id, shard, record, ...readPlace(id) };
      }
  }
}

/** All records at once, from a reader that returns lines. Only visible records count towards the limit. */
export async function collectRecords(
  reader: Pick<HistoryReader, "read">,
  query: HistoryQuery,
  signal?: AbortSignal,
  isSeen: SeesRecord = () => true,
): Promise<readonly HistoryRecord[]> {
  const records: HistoryRecord[] = [];
  if (query.limit === 0) return records;
  for await (const { record } of reader.read({ ...query, limit: Number.MAX_SAFE_INTEGER }, signal)) {
    if (isSeen(record) && records.push(record) >= query.limit) break;
  }
  return records;
}

/** The one stream that has all requested records; undefined: all streams have some. Acts of operators have no cluster. */
function onlyStream({ type }: HistoryQuery, keys: Keys): string | undefined {
  return type === "operator" ? keys.history(undefined) : undefined;
}

/** As it appears in the record of an act. */
const operatorText = '"type":"operator"';

/** Whether a record may match, by its text alone: most do not, and need no parsing. */
function textFilter({ type }: HistoryQuery): (text: string) => boolean {
  return (text) => type === undefined || text.includes(operatorText);
}

interface ShardRange {
  readonly mayMatch: (text: string) => boolean;
  readonly key: string;
  readonly shard: number;
  readonly start: string;
  readonly end: string;
}

/** The id is that of the stream; another shard may have the same one. */
interface ShardLine extends ShardPlace {
  readonly id: string;
  readonly record: HistoryRecord;
}

/** Lines with the same stream id are returned in the order of shards, so the line of a later shard with this id is still to come. */
function rangeStartOf(since: HistoryQuery["since"], shard: number): string {
  if ("ms" in since) return String(Math.max(0, Math.floor(since.ms)));
  const [ms, number, of] = since.afterId.split("-");
  return shard <= Number(of) ? `(${ms}-${number}` : `${ms}-${number}`;
}

/** The lines of all shards in the order of their ids. */
async function* inTimeOrder(shards: readonly AsyncGenerator<ShardLine>[]): AsyncGenerator<ShardLine> {
  const heads = new Map<AsyncGenerator<ShardLine>, ShardLine>();
  const advance = async (shard: AsyncGenerator<ShardLine>): Promise<void> => {
    const next = await shard.next();
    if (next.done === true) heads.delete(shard);
    else heads.set(shard, next.value);
  };
  for (const shard of shards) await advance(shard);
  for (;;) {
    const [first, ...others] = heads;
    if (first === undefined) return;
    const [shard, line] = others.reduce(
      (best, one) => (byShardPlace(one[1], best[1]) < 0 ? one : best),
      first,
    );
    yield line;
    await advance(shard);
  }
}
