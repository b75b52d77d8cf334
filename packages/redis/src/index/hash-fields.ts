import type { RedisConnection } from "../connection/client.ts";

/** Entries per scan: less than a millisecond of Redis. */
const scannedAtOnce = 1000;

/**
 * The fields of a hash that begin with the prefix, in pages. A scan finds every field that exists from its beginning to its end; some twice.
 * Redis itself matches them: a cluster with a hundred served namespaces would else send all its keys a hundred times per kind.
 */
export async function* hashFields(
  connection: RedisConnection,
  key: string,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  for (let cursor = ""; cursor !== "0"; ) {
    const scan = await connection.hscan(key, cursor || "0", "MATCH", `${prefix}*`, "COUNT", scannedAtOnce);
    const [next, found] = scan;
    yield found.filter((field, at) => at % 2 === 0 && field.startsWith(prefix));
    cursor = next;
  }
}
