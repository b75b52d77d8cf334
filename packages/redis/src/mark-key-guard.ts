import { Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/keyring";
import type { Log } from "@fleet-reloader/engine/log";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

export interface MarkKeyGuardOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
  /** Start although notes of another key cannot be read. */
  readonly forgetOldKeys: boolean;
}

/**
 * All workers of one Redis must be able to read each other's notes: two with different keys would adopt away each other's
 * changes. Faults with `config.invalid` when the key others use here is not among ours, unless that key is to be forgotten.
 */
export async function guardMarkKey(
  keyring: Keyring,
  { client, keys, log, forgetOldKeys }: MarkKeyGuardOptions,
): Promise<void> {
  const { keyId } = keyring.current;
  const before = await client.connection.set(keys.markKeyId, keyId, "GET");
  if (before === null || keyring.find(before) !== undefined) return;
  if (forgetOldKeys) {
    log.warn(
      { reason: "OldKeyForgotten" },
      `key ${before} is forgotten, ours is ${keyId}; changes that were waiting under the old key are judged by times alone`,
    );
    return;
  }
  await client.connection.set(keys.markKeyId, before);
  throw new Fault(
    "config.invalid",
    `--mark-key-file: the workers of this Redis used key ${before}, which is not in our file (ours is ${keyId}); put the old key as a second line of the file, or, if it is lost, start once with --forget-old-keys: changes that are waiting under it are then judged by times alone`,
  );
}
