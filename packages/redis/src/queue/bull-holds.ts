import { parseJson } from "@fleet-reloader/domain/json";
import type { HeldRequest, HeldRequests } from "@fleet-reloader/engine/admission/held-requests";
import type { Hold, Request } from "@fleet-reloader/engine/ports/request";
import type { Queue } from "bullmq";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import { delayedScoreOfMs } from "./bull-backend.ts";
import { fromJob, type RequestJob, toJob } from "./request-job.ts";

/** A freeze may end for thousands of entries: this many are forgotten and then promoted at a time. */
const releasedAtOnce = 100;

/**
 * How far the time of an entry may differ from the time in its hold. BullMQ subtracts the machine's time from it, and Redis' time is added later:
 * rounding and the time between the two cause the difference.
 */
const placedWithinMs = 50;

/** Small enough not to delay other clients of Redis. */
const listedAtOnce = 500;

/** A sentence for people. An annotation may be as long as 256 KiB, and thousands of entries may be held because of it. */
const whyMax = 500;

/** KEYS: hold times, hold texts. ARGV: when the entry becomes due even if the hold lasts, the entry, the text of the hold. */
const holdScript = new Script(`
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 0
`);

/** KEYS: hold times, hold texts. ARGV: entries. */
const forgetScript = new Script(`
for _, id in ipairs(ARGV) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
return 0
`);

/**
 * KEYS: hold times, hold texts. ARGV: entries, each with its hold time as it was read. An entry that was taken up since and is held again has
 * another time: that hold stays. Returns the entries whose hold is removed.
 */
const forgetSeenScript = new Script(`
local forgotten = {}
for i = 1, #ARGV, 2 do
  local due = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if due and tonumber(due) == tonumber(ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
    table.insert(forgotten, ARGV[i])
  end
end
return forgotten
`);

/** Which of the waiting entries are held, stored beside the queue of each shard: an entry itself only says when it is due. */
export class BullHolds {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#keys = keys;
  }

  /** Call this before the entry is put back: otherwise held work would briefly count as work. */
  async note(id: string, request: Request, { hold, againAtMs }: Held): Promise<void> {
    const shard = this.#keys.shardOf(request.cluster);
    const { reason, untilMs, frozenBy } = hold;
    const why = hold.why?.slice(0, whyMax);
    // JSON omits undefined fields.
    const text = JSON.stringify({ ...toJob(request), reason, untilMs, frozenBy, why });
    await holdScript.run(this.#client.connection, this.#keysOf(shard), [String(againAtMs), id, text]);
  }

  /** Ends the holds of entries that were taken up or not put back. */
  async forget(shard: number, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await forgetScript.run(this.#client.connection, this.#keysOf(shard), ids);
  }

  /** The number of held entries of a shard that would be due before this wall time. */
  async countBefore(shard: number, wallMs: number): Promise<number> {
    return await this.#client.connection.zcount(this.#keys.holdTimes(shard), "-inf", `(${wallMs}`);
  }

  /** The holds of all shards, for people to read. Writes nothing. */
  async list(): Promise<readonly HeldRequest[]> {
    const shards = await Promise.all(this.#keys.queuePrefixes.map((_, shard) => this.#list(shard)));
    return shards.flatMap(({ held }) => held);
  }

  /** The holds for the watcher that ends them; `queues` in the order of their shards. */
  of(queues: readonly Queue<RequestJob>[]): HeldRequests {
    return {
      list: async () =>
        (await Promise.all(queues.map((_, shard) => this.#tidied(shard, this.#list(shard))))).flat(),
      count: async () => {
        const { connection } = this.#client;
        const counts = await Promise.all(
          queues.map((_, shard) => connection.zcard(this.#keys.holdTimes(shard))),
        );
        return counts.reduce((sum, count) => sum + count, 0);
      },
      listDue: async (afterMs, untilMs) =>
        (
          await Promise.all(
            queues.map((_, shard) => this.#tidied(shard, this.#listDue(shard, afterMs, untilMs))),
          )
        ).flat(),
      release: async (held) => {
        const shards = Map.groupBy(held, ({ request }) => this.#keys.shardOf(request.cluster));
        await Promise.all([...shards].map(([shard, its]) => this.#release(shard, queues[shard], its)));
      },
    };
  }

  #keysOf(shard: number): readonly string[] {
    return [this.#keys.holdTimes(shard), this.#keys.holdTexts(shard)];
  }

  /** Removes unreadable holds; their entries stay due at their own time. */
  async #tidied(shard: number, listed: Promise<ListedHolds>): Promise<readonly HeldRequest[]> {
    const { held, unreadable } = await listed;
    for (const some of inParts(unreadable, listedAtOnce)) await this.#forgetSeen(shard, some);
    return held;
  }

  async #list(shard: number): Promise<ListedHolds> {
    const { connection } = this.#client;
    const scores = new Map<string, number>();
    const texts = new Map<string, string>();
    let cursor = "0";
    do {
      // An entry that exists during the whole scan is in one part, maybe in two.
      const [next, flat] = await connection.zscan(this.#keys.holdTimes(shard), cursor, "COUNT", listedAtOnce);
      const ids = flat.filter((_, at) => at % 2 === 0);
      const found = ids.length === 0 ? [] : await connection.hmget(this.#keys.holdTexts(shard), ...ids);
      for (const [at, id] of ids.entries()) {
        scores.set(id, Number(flat[2 * at + 1]));
        texts.set(id, found[at] ?? "");
      }
      cursor = next;
    } while (cursor !== "0");
    const byTime = [...scores].toSorted(([, a], [, b]) => a - b);
    return listedHolds(byTime, texts);
  }

  async #listDue(shard: number, afterMs: number, untilMs: number): Promise<ListedHolds> {
    const { connection } = this.#client;
    const [key, after] = [this.#keys.holdTimes(shard), `(${afterMs}`];
    const scores = await connection.zrangebyscore(key, after, untilMs, "WITHSCORES");
    const ids = scores.filter((_, at) => at % 2 === 0);
    const texts = new Map<string, string>();
    for (const some of inParts(ids, listedAtOnce)) {
      const found = await connection.hmget(this.#keys.holdTexts(shard), ...some);
      for (const [at, id] of some.entries()) texts.set(id, found[at] ?? "");
    }
    return listedHolds(
      ids.map((id, at) => [id, Number(scores[2 * at + 1])]),
      texts,
    );
  }

  /** Removes the holds that are unchanged since they were read; resolves to their entries. */
  async #forgetSeen(shard: number, seen: readonly SeenHold[]): Promise<ReadonlySet<unknown>> {
    const args = seen.flatMap(({ id, againAtMs }) => [id, String(againAtMs)]);
    const forgotten = await forgetSeenScript.run(this.#client.connection, this.#keysOf(shard), args);
    return new Set(Array.isArray(forgotten) ? forgotten : []);
  }

  async #release(shard: number, queue: Queue<RequestJob> | undefined, held: readonly HeldRequest[]) {
    for (const some of inParts(held, releasedAtOnce)) {
      // First remove the holds: a worker that takes up an entry may hold it again.
      const forgotten = await this.#forgetSeen(shard, some);
      if (queue === undefined) continue;
      const ended = some.filter(({ id }) => forgotten.has(id));
      const unmoved = ended.length === 0 ? [] : await this.#unmoved(queue, ended);
      await Promise.all(unmoved.map(({ id }) => promote(queue, id)));
    }
  }

  /** The entries that are still due at the time of their hold. An entry that a change has moved since waits for its quiet period. */
  async #unmoved(queue: Queue<RequestJob>, held: readonly HeldRequest[]) {
    const delayed = queue.toKey("delayed");
    const scores = await this.#client.connection.zmscore(delayed, ...held.map(({ id }) => id));
    return held.filter(({ againAtMs }, at) => {
      const score = scores[at];
      if (typeof score !== "string") return false;
      const dueMs = Math.floor(Number(score) / delayedScoreOfMs);
      return Math.abs(dueMs - againAtMs) <= placedWithinMs;
    });
  }
}

/** Splits a command: its length is limited, and Redis is blocked while it runs. */
function* inParts<T>(all: readonly T[], atOnce: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += atOnce) yield all.slice(at, at + atOnce);
}

async function promote(queue: Queue<RequestJob>, id: string): Promise<void> {
  const job = await queue.getJob(id);
  // Fails for an entry that was taken up or made due meanwhile.
  await job?.promote().catch(() => undefined);
}

/** An entry, and the time of its hold as it was read. */
interface SeenHold {
  readonly id: string;
  readonly againAtMs: number;
}

interface ListedHolds {
  readonly held: readonly HeldRequest[];
  readonly unreadable: readonly SeenHold[];
}

/** Builds the list from entries with their times, and the text of each. */
function listedHolds(
  times: readonly (readonly [id: string, againAtMs: number])[],
  texts: ReadonlyMap<string, string>,
): ListedHolds {
  const held: HeldRequest[] = [];
  const unreadable: SeenHold[] = [];
  for (const [id, againAtMs] of times) {
    const one = readHeld(id, againAtMs, texts.get(id));
    if (one === undefined) unreadable.push({ id, againAtMs });
    else held.push(one);
  }
  return { held, unreadable };
}

interface Held {
  readonly hold: Hold;
  readonly againAtMs: number;
}

/** Undefined for an unreadable text. */
function readHeld(id: string, againAtMs: number, text: string | undefined): HeldRequest | undefined {
  const value = parseJson(text ?? "");
  const request = fromJob(value);
  if (request === undefined || typeof value !== "object" || value === null) return undefined;
  const reason = "reason" in value && typeof value.reason === "string" ? value.reason : "";
  return { id, request, reason, againAtMs, ...detailsIn(value) };
}

/** The fields of a hold besides its reason. */
function detailsIn(value: object): Omit<Hold, "reason"> {
  const until = "untilMs" in value && typeof value.untilMs === "number" ? { untilMs: value.untilMs } : {};
  const frozen = "frozenBy" in value && Array.isArray(value.frozenBy) ? value.frozenBy : [];
  const frozenBy = frozen.length === 0 ? {} : { frozenBy: frozen.map(String) };
  const why = "why" in value && typeof value.why === "string" ? { why: value.why } : {};
  return { ...until, ...frozenBy, ...why };
}
