import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from "bullmq";
import type { RedisConnection } from "../connection/client.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import { QueueEnd } from "./queue-end.ts";

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

/**
 * BullMQ on Redis' clock. It takes the machine's for every script, so that a worker whose clock is ahead takes up what waits for quiet, and one
 * whose clock is behind leaves lying what is due. Here every script gets the time of Redis, and what is answered is told in the machine's time.
 *
 * `connection`: the one of a worker, which takes up entries by it.
 */
export function bullBackend(
  clock: RedisClock,
  connection?: RedisConnection,
): BackendFactory<RedisQueueBackend> {
  return (...given) => {
    const backend = createRedisBackend(...given);
    const end = connection && new QueueEnd(connection);
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
      const answered = end && isTake ? end.take(args, sendIt) : sendIt();
      return answered.then((answer) => inLocalTime(answer, clock));
    };
    backend.waitForJob = async (timeout) => {
      const marker = await (end === undefined ? wait(timeout) : end.wait(() => wait(timeout)));
      return marker === null ? null : { ...marker, score: localTime(marker.score, clock) };
    };
    return backend;
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
