import type { RedisConnection } from "../connection/client.ts";
import { Script } from "../connection/script.ts";
import { delayedScoreOfMs } from "./delayed-score.ts";

/** Where `moveToActive` of BullMQ 6.7 has the keys of its queue: wait, prioritized, delayed, marker. */
const keysAt = [0, 2, 6, 10] as const;

/**
 * What is left in a queue. KEYS: wait, prioritized, delayed, marker. Returns nil where an entry can be taken up, and otherwise the score of
 * the entry that is due first: 0 where there is none.
 *
 * BullMQ sets the marker that wakes a worker each time one takes up an entry, be it the last one. Here the marker of an empty queue is
 * removed: the scripts of BullMQ that add an entry, or make one due, set it again.
 */
const leftScript = new Script(`
if redis.call('LLEN', KEYS[1]) > 0 or redis.call('ZCARD', KEYS[2]) > 0 then return false end
redis.call('ZREM', KEYS[4], '0')
return redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2] or '0'
`);

/**
 * Knows that an entry was the last one of its queue. A worker of BullMQ with a free slot asks for another entry before it begins with the one
 * it has, and once more when the marker wakes it. Here one round trip takes up an entry and says what is left; what is known of an empty
 * queue is not asked.
 */
export class QueueEnd {
  readonly #connection: RedisConnection;
  #firstDueMs: number | undefined;

  /** The connection that entries are taken up by: commands of one connection keep their order. */
  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  /** The answer of `moveToActive`, which `send` calls with these arguments. */
  async take(args: readonly unknown[], send: () => Promise<unknown>): Promise<unknown> {
    const known = this.#firstDueMs;
    this.#firstDueMs = undefined;
    if (known !== undefined) return [0, 0, 0, known];
    const taking = send();
    const keys = keysAt.map((at) => String(args[at]));
    // Where it fails the worker asks for another entry, as BullMQ does.
    const left = leftScript.run(this.#connection, keys, []).catch(() => null);
    const answer = await taking;
    if (isEntry(answer)) this.#firstDueMs = firstDueMs(await left);
    return answer;
  }

  /**
   * The answer of `send`, which waits for the marker. The worker that it wakes asks Redis: another of its slots may have emptied the queue
   * during the wait, and the marker be that of an entry which came later.
   */
  async wait<T>(send: () => Promise<T>): Promise<T> {
    this.forget();
    try {
      return await send();
    } finally {
      this.forget();
    }
  }

  /** From now on there may be an entry. */
  forget(): void {
    this.#firstDueMs = undefined;
  }
}

/** BullMQ answers with the fields of an entry, or with 0. */
function isEntry(answer: unknown): boolean {
  return Array.isArray(answer) && Array.isArray(answer[0]);
}

/** Undefined where an entry can be taken up; 0 where none is due at any time. */
function firstDueMs(score: unknown): number | undefined {
  return typeof score === "string" ? Math.floor(Number(score) / delayedScoreOfMs) : undefined;
}
