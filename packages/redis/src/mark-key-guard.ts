import { Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/keyring";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

/**
 * All workers of one Redis must be able to read each other's notes: two with different keys would adopt away each other's
 * changes. Faults with `config.invalid` when the key others use here is not among ours.
 */
export async function guardMarkKey(
  keyring: Keyring,
  { client, keys }: { readonly client: RedisClient; readonly keys: Keys },
): Promise<void> {
  const { keyId } = keyring.current;
  const before = await client.connection.set(keys.markKeyId, keyId, "GET");
  if (before === null || keyring.find(before) !== undefined) return;
  await client.connection.set(keys.markKeyId, before);
  throw new Fault(
    "config.invalid",
    `--mark-key-file: the other workers of this Redis use key ${before}, which is not in our file (ours is ${keyId}); give all of them the same file, or add the old key as a second line`,
  );
}
