import type { RedisClient } from "../connection/client.ts";

/** Small enough to hold up nobody else at Redis. */
export const pageSize = 500;

/** Entries of a stream as Redis answers them. */
export type StreamPage = readonly (readonly [id: string, fields: readonly string[]])[];

/** An id of a stream, `milliseconds-number`, in numbers. */
export interface StreamPlace {
  readonly ms: number;
  readonly number: number;
}

/** Where a record lies: several streams may give the same id. */
export interface ShardPlace extends StreamPlace {
  readonly shard: number;
}

export function readPlace(id: string): StreamPlace {
  const [ms = 0, number = 0] = id.split("-").map(Number);
  return { ms, number };
}

/** Whether an id of a stream is lower than another. */
export function isBefore(a: StreamPlace, b: StreamPlace): boolean {
  return a.ms === b.ms ? a.number < b.number : a.ms < b.ms;
}

/** The order in which records are read: by id, and of one id by shard. Below 0 where `a` comes first. */
export function byShardPlace(a: ShardPlace, b: ShardPlace): number {
  return a.ms - b.ms || a.number - b.number || a.shard - b.shard;
}

/** The text of a record, from the fields of its entry. */
export function recordText(fields: readonly string[]): string {
  return fields[fields.indexOf("record") + 1] ?? "";
}

/** The entries of a stream from one id to another, as `XRANGE` takes them, a page at a time. */
export async function* streamPages(
  { connection }: Pick<RedisClient, "connection">,
  stream: string,
  { start, end }: { readonly start: string; readonly end: string },
  signal?: AbortSignal,
): AsyncGenerator<StreamPage> {
  for (let from = start; ; ) {
    signal?.throwIfAborted();
    const page = await connection.xrange(stream, from, end, "COUNT", pageSize);
    yield page;
    const last = page.at(-1)?.[0];
    if (last === undefined || page.length < pageSize) return;
    from = `(${last}`;
  }
}
