import { asFault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from "bullmq";
import { type RedisConnection, refusalsApartMs } from "../connection/client.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import { Script } from "../connection/script.ts";

/**
 * Where the scripts of BullMQ 6.7 get the time: the position of the argument, counted with the keys first. All other times are relative, or are the
 * `timestamp` of a new entry, which the process that adds it sets. A test finds any further ones.
 */
const timeArguments: Readonly<Record<string, number>> = {
  moveToActive: 11 + 1,
  moveToDelayed: 11 + 1,
  moveToFinished: 14 + 1,
  moveStalledJobsToWait: 9 + 2,
  retryJob: 11 + 1,
};

/** Position of the time until which a worker may wait, in the answer of a script that takes up the next entry. */
const blockedUntilAt = 3;

/** The field of an entry with the time at which it was taken up. */
const takenUpField = "processedOn";

/** The score of a delayed BullMQ entry is its wall time, followed by twelve bits for the order (its getDelayedScore). */
export const delayedScoreOfMs = 0x1000;

/**
 * A Redis without memory, or one that denies us the command, refuses to give out an entry. BullMQ would retry without a pause for as long as that
 * lasts.
 */
const refusedPauseMs = 1000;

/** The worker that takes up entries. */
interface EntryTaker {
  /** The connection with which it takes them up. */
  readonly connection: RedisConnection;
  readonly log: Log;
  /** Aborted when the worker ends. */
  readonly signal: AbortSignal;
}

/**
 * BullMQ on Redis' clock. BullMQ itself uses the machine's clock in every script: a worker whose clock is ahead takes up entries that still wait
 * for quiet, and one whose clock is behind leaves due entries. Here every script gets Redis' time, and answers are translated to the machine's
 * time. A worker of several shards shares one backend factory, so a refusal of Redis is logged once.
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
      // The end of an entry frees a slot, and entries may have been added since that entry was taken up.
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

/** Delays the failure of a refused command by a pause, and logs it. Between refusals Redis may give out an entry. */
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

/** Alternating names and values of an entry. BullMQ decides by the time of taking it up when its lock is renewed. */
function entryInLocalTime(fields: readonly unknown[], clock: RedisClock): readonly unknown[] {
  const at = fields.findIndex((field, place) => place % 2 === 0 && field === takenUpField) + 1;
  return at === 0 ? fields : fields.with(at, String(localTime(Number(fields[at]), clock)));
}

/** 0 is no time: there is something to do at once, or nothing to wait for. */
function localTime(redisMs: number, clock: RedisClock): number {
  return redisMs > 0 ? Math.ceil(clock.localOf(redisMs)) : redisMs;
}

/** Positions of the queue's keys in `moveToActive` of BullMQ 6.7: wait, prioritized, delayed, marker. */
const keysAt = [0, 2, 6, 10] as const;

/**
 * What is left in a queue. KEYS: wait, prioritized, delayed, marker. Returns nil when an entry can be taken up, otherwise the score of the entry
 * that is due first: 0 when there is none.
 *
 * BullMQ sets the marker that wakes a worker each time an entry is taken up, even the last one. Here the marker of an empty queue is removed; the
 * BullMQ scripts that add an entry, or make one due, set it again.
 */
const leftScript = new Script(`
if redis.call('LLEN', KEYS[1]) > 0 or redis.call('ZCARD', KEYS[2]) > 0 then return false end
redis.call('ZREM', KEYS[4], '0')
return redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2] or '0'
`);

/**
 * Knows when an entry was the last one of its queue. A BullMQ worker with a free slot requests another entry before it starts the one it has, and
 * again when the marker wakes it. Here one round trip takes up an entry and returns what is left; while the queue is known to be empty, nothing
 * is sent.
 */
export class QueueEnd {
  readonly #connection: RedisConnection;
  #firstDueMs: number | undefined;

  /** The connection that takes up entries: commands of one connection keep their order. */
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
    // When this fails, the worker requests another entry, as BullMQ does.
    const left = leftScript.run(this.#connection, keys, []).catch(() => null);
    const answer = await taking;
    if (isEntry(answer)) this.#firstDueMs = firstDueMs(await left);
    return answer;
  }

  /**
   * The answer of `send`, which waits for the marker. The worker that it wakes queries Redis: another slot may have emptied the queue during the
   * wait, and the marker may belong to a later entry.
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

/** Undefined when an entry can be taken up; 0 when no entry will become due. */
function firstDueMs(score: unknown): number | undefined {
  return typeof score === "string" ? Math.floor(Number(score) / delayedScoreOfMs) : undefined;
}
