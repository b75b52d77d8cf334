import { asFault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from "bullmq";
import { type RedisConnection, refusalsApartMs } from "../connection/client.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import { Script } from "../connection/script.ts";

/**
 * Where the scripts of BullMQ 6.7 get the time from: the position of the argument, keys first. Everything else that holds a time is relative, or
 * is the `timestamp` of a new entry, which the process that adds it sets. A test finds any other.
 */
const timeArguments: Readonly<Record<string, number>> = {
  moveToActive: 11 + 1,
  moveToDelayed: 11 + 1,
  moveToFinished: 14 + 1,
  moveStalledJobsToWait: 9 + 2,
  retryJob: 11 + 1,
};

/** Position of the time until which a worker may wait, in what a script answers that takes up the next entry. */
const blockedUntilAt = 3;

/** The field of an entry with the time at which it was taken up. */
const takenUpField = "processedOn";

/** BullMQ's delayed entries have the wall time as their score, with twelve bits behind it for their order (its getDelayedScore). */
export const delayedScoreOfMs = 0x1000;

/**
 * A Redis without memory, or one that denies us the command, refuses to give out an entry. BullMQ would ask again at once, for as long as
 * that lasts.
 */
const refusedPauseMs = 1000;

/** What takes up entries. */
interface EntryTaker {
  /** By which it takes them up. */
  readonly connection: RedisConnection;
  readonly log: Log;
  /** Its end. */
  readonly signal: AbortSignal;
}

/**
 * BullMQ on Redis' clock. It takes the machine's for every script, so that a worker whose clock is ahead takes up what waits for quiet, and one
 * whose clock is behind leaves lying what is due. Here every script gets the time of Redis, and what is answered is told in the machine's time.
 * A worker of several shards has one for all: a refusal of Redis is told of once.
 */
export function bullBackend(clock: RedisClock, taker?: EntryTaker): BackendFactory<RedisQueueBackend> {
  const patiently = taker && patience(clock, taker);
  return (...given) => {
    const backend = createRedisBackend(...given);
    const end = taker && new QueueEnd(taker.connection);
    const send = backend.execCommand.bind(backend);
    const wait = backend.waitForJob.bind(backend);
    backend.execCommand = (client, command, args) => {
      const at = timeArguments[command];
      if (at === undefined) return send(client, command, args);
      args[at] = clock.now();
      const sendIt = (): Promise<unknown> => send(client, command, args);
      const isTake = command === "moveToActive";
      // A slot gets free by the end of an entry, and much may have been added since it was taken up.
      if (!isTake) end?.forget();
      const answered = end && patiently && isTake ? patiently(() => end.take(args, sendIt)) : sendIt();
      return answered.then((answer) => inLocalTime(answer, clock));
    };
    backend.waitForJob = async (timeout) => {
      const marker = await (end === undefined ? wait(timeout) : end.wait(() => wait(timeout)));
      return marker === null ? null : { ...marker, score: localTime(marker.score, clock) };
    };
    return backend;
  };
}

/** Lets what Redis refuses fail after a pause. A refusal is told of; in between Redis may well give out an entry. */
function patience(clock: RedisClock, { log, signal }: EntryTaker) {
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  return async (take: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await take();
    } catch (error) {
      const nowMs = clock.monotonic();
      if (nowMs - refusedAtMs >= refusalsApartMs && !signal.aborted) {
        const { code, message } = asFault(error);
        log.warn({ reason: code, err: message }, "Redis gives out no requests; asking once a second");
      }
      refusedAtMs = nowMs;
      await clock.sleep(refusedPauseMs, signal).catch(() => undefined);
      throw error;
    }
  };
}

function inLocalTime(answer: unknown, clock: RedisClock): unknown {
  if (!Array.isArray(answer) || answer.length <= blockedUntilAt) return answer;
  const [fields] = answer;
  const told = answer.with(blockedUntilAt, localTime(Number(answer[blockedUntilAt]), clock));
  return Array.isArray(fields) ? told.with(0, entryInLocalTime(fields, clock)) : told;
}

/** Names and values of an entry in turns. By the time at which it was taken up BullMQ decides when its lock is renewed. */
function entryInLocalTime(fields: readonly unknown[], clock: RedisClock): readonly unknown[] {
  const at = fields.findIndex((field, place) => place % 2 === 0 && field === takenUpField) + 1;
  return at === 0 ? fields : fields.with(at, String(localTime(Number(fields[at]), clock)));
}

/** 0 is no time: there is something to do at once, or nothing to wait for. */
function localTime(redisMs: number, clock: RedisClock): number {
  return redisMs > 0 ? Math.ceil(clock.localOf(redisMs)) : redisMs;
}

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
