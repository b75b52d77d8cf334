import type { Clock } from "@fleet-reloader/engine/async/clock";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { Script } from "./script.ts";

export interface RedisClockOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The machine's own. Its wall time may be wrong, and may be set. */
  readonly local: Clock;
}

/** Clocks of machines drift apart by at most some 100 ppm: a tenth of a millisecond in this time. A failover may bring another clock. */
const readEveryMs = 1000;

/** At a start a process is busy, and an answer that is read late tells little. Each further one tells as much or more. */
const firstReads = 5;

/** KEYS: one that lies where the clock is read: each node of a Redis Cluster has a clock of its own. */
const timeScript = new Script("return redis.call('TIME')");

/**
 * Redis' clock, one for all processes: what one of them makes due, another takes up, whatever their machines think the time is.
 *
 * It is read once a second and carried on by the monotonic clock. An answer says no more than that Redis' time was somewhere between
 * question and answer; what is known of it is moved by as much as that asks for and no further, so that a slow answer tells little and does no harm.
 * Before the first answer it is the machine's.
 */
export class RedisClock implements Clock {
  readonly #options: RedisClockOptions;
  readonly #life = new AbortController();
  /** By how much it is ahead of the monotonic clock. */
  #aheadMs: number | undefined;
  #unansweredSinceMs: number | undefined;

  constructor(options: RedisClockOptions) {
    this.#options = options;
  }

  now(): number {
    const { local } = this.#options;
    return this.#aheadMs === undefined ? local.now() : Math.floor(local.monotonic() + this.#aheadMs);
  }

  monotonic(): number {
    return this.#options.local.monotonic();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.local.sleep(ms, signal);
  }

  /** The machine's wall time at this moment of Redis' clock: for code that compares with the machine's. */
  localOf(redisMs: number): number {
    return redisMs - this.now() + this.#options.local.now();
  }

  /** When the question was asked, by this clock, that waits for its answer. Undefined: none does. */
  get unansweredSinceMs(): number | undefined {
    return this.#unansweredSinceMs;
  }

  /** Asks once. What is due is in Redis' time from then on. */
  async read(): Promise<void> {
    this.#unansweredSinceMs = this.now();
    try {
      await this.#read();
    } finally {
      this.#unansweredSinceMs = undefined;
    }
  }

  async #read(): Promise<void> {
    const { client, keys, local } = this.#options;
    const askedAtMs = local.monotonic();
    const answer = await timeScript.runReadOnly(client.connection, keys.fleet.root, []);
    const [seconds, microseconds] = Array.isArray(answer) ? answer.map(Number) : [];
    if (seconds === undefined || microseconds === undefined) return;
    const atMs = seconds * 1000 + microseconds / 1000;
    const leastMs = atMs - local.monotonic();
    const mostMs = atMs - askedAtMs;
    this.#aheadMs = Math.min(mostMs, Math.max(leastMs, this.#aheadMs ?? (leastMs + mostMs) / 2));
  }

  /** Resolves when the time is known; from then on it is kept until `stop`. While Redis is away the monotonic clock goes on. */
  async start(): Promise<void> {
    for (let reads = 0; reads < firstReads; reads += 1) await this.read();
    void this.#keep();
  }

  stop(): void {
    this.#life.abort();
  }

  async #keep(): Promise<void> {
    const { signal } = this.#life;
    const ended = untilAborted(signal);
    while (!signal.aborted) {
      await this.sleep(readEveryMs, signal).catch(() => undefined);
      // A command waits as long as Redis is away, and nobody waits for it at the end.
      if (!signal.aborted) await Promise.race([this.read().catch(() => undefined), ended]);
    }
  }
}
