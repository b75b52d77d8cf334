import { parseJson } from "@fleet-reloader/domain/json";
import type { HeldRequest, HeldRequests } from "@fleet-reloader/engine/admission/held-requests";
import type { Hold, Request } from "@fleet-reloader/engine/ports/request";
import type { Queue } from "bullmq";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import { delayedScoreOfMs } from "./bull-backend.ts";
import { fromJob, type RequestJob, toJob } from "./request-job.ts";

/** A freeze may end for thousands: as many are forgotten, and then promoted, at a time. */
const releasedAtOnce = 100;

/**
 * By how much an entry may lie beside the time that its hold says. BullMQ subtracts the machine's time from it, and Redis' time is added
 * later: between the two lie rounding and whatever the process did meanwhile.
 */
const placedWithinMs = 50;

/** Small enough to hold up nobody else at Redis. */
const listedAtOnce = 500;

/** A sentence for people. An annotation may be as long as 256 KiB, and thousands may be on hold for it. */
const whyMax = 500;

/** KEYS: hold times, hold texts. ARGV: when it is due all the same, the entry, what is known of the hold. */
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
 * KEYS: hold times, hold texts. ARGV: entries, each with the time at which it was due when it was looked at. One that was taken up since and is
 * held again has another: that hold stays. Answers with the entries whose hold is forgotten.
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

/** Which of the waiting entries are held, beside the queue of each shard: an entry itself says only when it is due. */
export class BullHolds {
  readonly #client: RedisClient;
  readonly #keys: Keys;

  constructor({ client, keys }: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = client;
    this.#keys = keys;
  }

  /** To be called before the entry is put back: held work must not look like work in between. */
  async note(id: string, request: Request, { hold, againAtMs }: Held): Promise<void> {
    const shard = this.#keys.shardOf(request.cluster);
    const { reason, untilMs, frozenBy } = hold;
    const why = hold.why?.slice(0, whyMax);
    // What is undefined is left out.
    const text = JSON.stringify({ ...toJob(request), reason, untilMs, frozenBy, why });
    await holdScript.run(this.#client.connection, this.#keysOf(shard), [String(againAtMs), id, text]);
  }

  /** These are held no more: they were taken up, or not put back. */
  async forget(shard: number, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await forgetScript.run(this.#client.connection, this.#keysOf(shard), ids);
  }

  /** How many held entries of a shard would be due before this wall time. */
  async countBefore(shard: number, wallMs: number): Promise<number> {
    return await this.#client.connection.zcount(this.#keys.holdTimes(shard), "-inf", `(${wallMs}`);
  }

  /** Of all shards, for people to see. Writes nothing. */
  async list(): Promise<readonly HeldRequest[]> {
    const shards = await Promise.all(this.#keys.queuePrefixes.map((_, shard) => this.#list(shard)));
    return shards.flatMap(({ held }) => held);
  }

  /** The same as the watcher of holds sees it; the queues in the order of their shards. */
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

  /** What cannot be read is forgotten: it is due when it is due. */
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
      // What is there from the first part to the last is in one of them, and maybe in two.
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

  /** Resolves to the entries whose hold was still the one that was seen. */
  async #forgetSeen(shard: number, seen: readonly SeenHold[]): Promise<ReadonlySet<unknown>> {
    const args = seen.flatMap(({ id, againAtMs }) => [id, String(againAtMs)]);
    const forgotten = await forgetSeenScript.run(this.#client.connection, this.#keysOf(shard), args);
    return new Set(Array.isArray(forgotten) ? forgotten : []);
  }

  async #release(shard: number, queue: Queue<RequestJob> | undefined, held: readonly HeldRequest[]) {
    for (const some of inParts(held, releasedAtOnce)) {
      // First: a worker that takes one up may hold it again.
      const forgotten = await this.#forgetSeen(shard, some);
      if (queue === undefined) continue;
      const ended = some.filter(({ id }) => forgotten.has(id));
      const unmoved = ended.length === 0 ? [] : await this.#unmoved(queue, ended);
      await Promise.all(unmoved.map(({ id }) => promote(queue, id)));
    }
  }

  /** What is still due when its hold said. What a change has moved since waits for quiet. */
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

/** A client cannot send commands of any length, and Redis does nothing else while it carries one out. */
function* inParts<T>(all: readonly T[], atOnce: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += atOnce) yield all.slice(at, at + atOnce);
}

async function promote(queue: Queue<RequestJob>, id: string): Promise<void> {
  const job = await queue.getJob(id);
  // Fails for one that was taken up or made due meanwhile.
  await job?.promote().catch(() => undefined);
}

/** An entry, and when it was due all the same. */
interface SeenHold {
  readonly id: string;
  readonly againAtMs: number;
}

interface ListedHolds {
  readonly held: readonly HeldRequest[];
  readonly unreadable: readonly SeenHold[];
}

/** From entries with their times, and the text of each. */
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

/** Undefined for what cannot be read. */
function readHeld(id: string, againAtMs: number, text: string | undefined): HeldRequest | undefined {
  const value = parseJson(text ?? "");
  const request = fromJob(value);
  if (request === undefined || typeof value !== "object" || value === null) return undefined;
  const reason = "reason" in value && typeof value.reason === "string" ? value.reason : "";
  return { id, request, reason, againAtMs, ...detailsIn(value) };
}

/** What is known of a hold beside its reason. */
function detailsIn(value: object): Omit<Hold, "reason"> {
  const until = "untilMs" in value && typeof value.untilMs === "number" ? { untilMs: value.untilMs } : {};
  const frozen = "frozenBy" in value && Array.isArray(value.frozenBy) ? value.frozenBy : [];
  const frozenBy = frozen.length === 0 ? {} : { frozenBy: frozen.map(String) };
  const why = "why" in value && typeof value.why === "string" ? { why: value.why } : {};
  return { ...until, ...frozenBy, ...why };
}
