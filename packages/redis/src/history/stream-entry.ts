import type { RedisClient } from "../connection/client.ts";

/** Small enough not to delay other clients of Redis. */
export const pageSize = 500;

/** Entries of a stream as Redis returns them. */
export type StreamPage = readonly (readonly [id: string, fields: readonly string[]])[];

/** The parts of a stream id, `milliseconds-number`, as numbers. */
export interface StreamPlace {
  readonly ms: number;
  readonly number: number;
}

/** The place of a record: several streams may have the same id. */
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

/** The order in which records are read: by id, then by shard. Below 0 when `a` comes first. */
export function byShardPlace(a: ShardPlace, b: ShardPlace): number {
  return a.ms - b.ms || a.number - b.number || a.shard - b.shard;
}

/** The text of a record, from the fields of its entry. */
export function recordText(fields: readonly string[]): string {
  return fields[fields.indexOf("record") + 1] ?? "";
}

/** The entries of a stream between two ids, as `XRANGE` takes them, page by page. */
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
