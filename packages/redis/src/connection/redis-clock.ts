import type { Clock } from "@fleet-reloader/engine/async/clock";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { Script } from "./script.ts";

export interface RedisClockOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The clock of this machine. Its wall time may be wrong, and may be changed. */
  readonly local: Clock;
}

/** Clocks of machines drift apart by at most some 100 ppm: a tenth of a millisecond in this time. A failover may switch to another clock. */
const readEveryMs = 1000;

/** A process is busy at its start, and an answer that is read late is imprecise. Each further read keeps or improves the precision. */
const firstReads = 5;

/** KEYS: a key on the node whose clock is read, since each node of a Redis Cluster has its own clock. */
const timeScript = new Script("return redis.call('TIME')");

/**
 * Redis' clock, shared by all processes: what is due for one is due for all, whatever the time of their machines.
 *
 * It is read once a second and advanced by the monotonic clock. An answer proves only that Redis' time lay between question and answer. It moves
 * the estimate just far enough to fit, so a slow answer says little and does no harm. Before the first answer the time is the machine's.
 */
export class RedisClock implements Clock {
  readonly #options: RedisClockOptions;
  readonly #life = new AbortController();
  /** How far Redis' clock is ahead of the monotonic clock. */
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

  /** The machine's wall time at this moment of Redis' clock, for code that compares with the machine's time. */
  localOf(redisMs: number): number {
    return redisMs - this.now() + this.#options.local.now();
  }

  /** When the pending question was sent, by this clock. Undefined: none is pending. */
  get unansweredSinceMs(): number | undefined {
    return this.#unansweredSinceMs;
  }

  /** Reads the time once. From then on `now` is Redis' time. */
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

  /** Resolves when the time is known; then reads it regularly until `stop`. While Redis is away the monotonic clock continues. */
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
      // A command waits as long as Redis is away; the loop must end without it.
      if (!signal.aborted) await Promise.race([this.read().catch(() => undefined), ended]);
    }
  }
}
