import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { FreezeReadings, SaidFreeze } from "@fleet-reloader/engine/act/freeze-reading";
import type { RecordedFreezes } from "@fleet-reloader/engine/admission/freeze-news";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";

export interface RecordedFreezesOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The name of this process, which no other process has. It contains no space. */
  readonly member: string;
}

/** A process that reads the freezes reports them every 5 s (engine's freeze-news). One that was silent this long has ended and obeys no freeze. */
const freezeSilenceMs = 60_000;
/** It is reported at every reading, each 5 s. Two may be missed. */
const unreadableMs = 15_000;

/**
 * KEYS: a sorted set, `member freeze` → when it was last reported. ARGV: the member, and all freezes that it knows of. Returns the freezes that
 * nobody had reported before, and those that nobody reports any more.
 */
const replaceFreezesScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before, after, come, gone = {}, {}, {}, {}
for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local member, freeze = string.match(one, '^(%S+) (.*)$')
  if freeze then before[freeze] = true end
  if member == ARGV[1] then redis.call('ZREM', KEYS[1], one) end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${freezeSilenceMs})
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], now, ARGV[1] .. ' ' .. ARGV[i])
  if not before[ARGV[i]] then come[#come + 1] = ARGV[i] end
end
for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  after[string.match(one, ' (.*)$')] = true
end
for freeze in pairs(before) do
  if not after[freeze] then gone[#gone + 1] = freeze end
end
return { come, gone }
`);

/**
 * The recorded freezes, in Redis. Several watchers report them: from one shared document, or each from a file of its own too. A freeze appears
 * with the first watcher that knows it and disappears with the last. After a loss of Redis all are reported again.
 */
export class RedisRecordedFreezes implements RecordedFreezes {
  readonly #client: RedisClient;
  readonly #keys: Keys["fleet"];
  readonly #member: string;

  constructor(options: RecordedFreezesOptions) {
    this.#client = options.client;
    this.#keys = options.keys.fleet;
    this.#member = options.member;
  }

  async replace(now: readonly Freeze[]) {
    const byText = new Map(now.map((freeze) => [JSON.stringify(freeze), freeze]));
    const said = [this.#member, ...byText.keys()];
    const answer = await replaceFreezesScript.run(this.#client.connection, this.#keys.freezes, said);
    const [come, gone] = Array.isArray(answer) ? answer : [];
    return {
      come: textsOf(come).flatMap((text) => byText.get(text) ?? []),
      gone: textsOf(gone).map((text): Freeze => JSON.parse(text)),
    };
  }

  async unreadable(why: string): Promise<void> {
    await this.#client.connection.set(this.#keys.unreadableFreezes, why, "PX", unreadableMs);
  }
}

/** Why the freezes cannot be read; undefined: every watcher reads them. */
export async function readUnreadableFreezes({ client, keys }: AskedFreezes): Promise<string | undefined> {
  return (await client.connection.get(keys.fleet.unreadableFreezes)) ?? undefined;
}

/** More freezes than people can keep in mind; a fleet has a handful. */
const freezesReadMax = 1000;

/** The freezes that the services obey, for people to see. */
export async function readRecordedFreezes(options: AskedFreezes): Promise<readonly Freeze[]> {
  const said = await readSaidFreezes(options);
  return [...new Map(said.map(({ freeze }) => [JSON.stringify(freeze), freeze])).values()];
}

type AskedFreezes = Pick<RecordedFreezesOptions, "client" | "keys">;

/** KEYS: the sorted set. ARGV: the maximum. Returns the time, and the members with their times, the latest first. */
const saidFreezesScript = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return { now, redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'REV', 'WITHSCORES') }
`);

async function readSaidFreezes({ client, keys }: AskedFreezes): Promise<readonly SaidFreeze[]> {
  const most = [String(freezesReadMax)];
  const answer = await saidFreezesScript.runReadOnly(client.connection, keys.fleet.freezes, most);
  const [nowMs, said] = Array.isArray(answer) ? answer : [];
  const words = textsOf(said);
  return words.flatMap((word, at) => {
    const text = at % 2 === 0 ? /^\S+ (.*)$/s.exec(word)?.[1] : undefined;
    if (text === undefined) return [];
    return [{ freeze: JSON.parse(text), silentMs: Number(nowMs) - Number(words[at + 1]) }];
  });
}

/** What watchers report about the freezes. */
export class RedisFreezeReadings implements FreezeReadings {
  readonly #options: AskedFreezes;

  constructor(options: AskedFreezes) {
    this.#options = options;
  }

  async said(): Promise<readonly SaidFreeze[]> {
    return await readSaidFreezes(this.#options);
  }

  async unreadable(): Promise<string | undefined> {
    return await readUnreadableFreezes(this.#options);
  }
}

function textsOf(answer: unknown): readonly string[] {
  return Array.isArray(answer) ? answer.map(String) : [];
}
