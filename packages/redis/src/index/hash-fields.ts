import type { RedisConnection } from "../connection/client.ts";

/** Entries per scan: less than a millisecond of Redis. */
const scannedAtOnce = 1000;

/**
 * The fields of a hash that begin with the prefix, read in pages: every field that exists during the whole scan. Redis itself matches them:
 * otherwise a cluster with a hundred served namespaces would send all its keys a hundred times per kind.
 */
export async function hashFields(
  connection: RedisConnection,
  key: string,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const fields = new Set<string>();
  for (let cursor = ""; cursor !== "0"; ) {
    const scan = await connection.hscan(key, cursor || "0", "MATCH", `${prefix}*`, "COUNT", scannedAtOnce);
    const [next, found] = scan;
    for (let at = 0; at < found.length; at += 2) {
      const field = found[at] ?? "";
      if (field.startsWith(prefix)) fields.add(field);
    }
    cursor = next;
  }
  return fields;
}
