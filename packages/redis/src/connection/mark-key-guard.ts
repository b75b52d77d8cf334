import { Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { Script } from "./script.ts";

export interface MarkKeyGuardOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
  /** Start although applied states recorded with another key cannot be read. */
  readonly forgetOldKeys: boolean;
}

/**
 * Writes the id of our key, unless the stored id is not one of ours. One step: workers that start at the same time see the old id or the new one,
 * never one that is about to be reverted.
 *
 * KEYS: the id. ARGV: the id to write, 1 when any stored id may be replaced, then all our ids. Returns the previous id, or nothing, and 1 when
 * ours is written.
 */
const replaceScript = new Script(`
local before = redis.call('GET', KEYS[1])
local may = not before or ARGV[2] == '1'
for i = 3, #ARGV do may = may or ARGV[i] == before end
if may then redis.call('SET', KEYS[1], ARGV[1]) end
return { before, may and 1 or 0 }
`);

/**
 * All workers of one Redis must be able to read each other's records: two workers with different keys would discard each other's pending changes
 * by adoption. Faults with `config.invalid` when the key that others use is not among ours, unless that key is to be forgotten.
 */
export async function guardMarkKey(
  keyring: Keyring,
  { client, keys, log, forgetOldKeys }: MarkKeyGuardOptions,
): Promise<void> {
  const { keyId } = keyring.current;
  const mayReplace = forgetOldKeys ? "1" : "0";
  const ours = [keyId, mayReplace, ...keyring.ids];
  const answer = await replaceScript.run(client.connection, keys.markKeyId, ours);
  const [before, isWritten] = Array.isArray(answer) ? answer : [];
  if (typeof before !== "string" || keyring.find(before) !== undefined) return;
  if (isWritten === 1) {
    log.warn(
      { reason: "OldKeyForgotten" },
      `key ${before} is forgotten, ours is ${keyId}; changes that were waiting under the old key are judged by times alone`,
    );
    return;
  }
  throw new Fault(
    "config.invalid",
    `--mark-key-file: the workers of this Redis used key ${before}, which is not in our file (ours is ${keyId}); to change the key, give every worker both, ours as the second line of the file, and swap the lines when all have started with both; if key ${before} is lost, start once with --forget-old-keys: changes that are waiting under it are then judged by times alone`,
  );
}
