import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { ToldFreezes } from "@fleet-reloader/engine/history/freeze-news";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { Script } from "./script.ts";

/** KEYS: a set. ARGV: all that is in it from now on. Returns what is new, and what is gone. */
const replaceScript = new Script(`
local before = redis.call('SMEMBERS', KEYS[1])
local now, come, gone = {}, {}, {}
for _, one in ipairs(ARGV) do now[one] = true end
for _, one in ipairs(before) do
  if not now[one] then
    gone[#gone + 1] = one
    redis.call('SREM', KEYS[1], one)
  end
end
for one in pairs(now) do
  if redis.call('SADD', KEYS[1], one) == 1 then come[#come + 1] = one end
end
return { come, gone }
`);

/** Freezes that were told, in Redis: several watchers look, and one of them tells. When Redis is lost they are told again. */
export class RedisToldFreezes implements ToldFreezes {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor({ client, keys }: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = client;
    this.#key = keys.fleet.freezes;
  }

  async replace(now: readonly Freeze[]) {
    const byText = new Map(now.map((freeze) => [JSON.stringify(freeze), freeze]));
    const answer = await replaceScript.run(this.#client.connection, this.#key, [...byText.keys()]);
    const [come, gone] = Array.isArray(answer) ? answer : [];
    return {
      come: textsOf(come).flatMap((text) => byText.get(text) ?? []),
      gone: textsOf(gone).map((text): Freeze => JSON.parse(text)),
    };
  }
}

function textsOf(answer: unknown): readonly string[] {
  return Array.isArray(answer) ? answer.map(String) : [];
}
