import type { RedisClient } from "./client.ts";
import type { RedisClock } from "./redis-clock.ts";

/** A healthy Redis answers much sooner, and the clock asks every second. This detects a stopped Redis, which does not close its connections. */
const answerPatienceMs = 5000;

/** Knows since when Redis is away, for people who see data that was read earlier. */
export class RedisAbsence {
  readonly #client: RedisClient;
  readonly #clock: RedisClock;
  #sinceMs: number | undefined;

  /** `clock` must keep running while Redis is away. */
  constructor({ client, clock }: { readonly client: RedisClient; readonly clock: RedisClock }) {
    this.#client = client;
    this.#clock = clock;
    if (client.notReady.length > 0) this.#sinceMs = clock.now();
    client.connection.on("ready", () => {
      this.#sinceMs = undefined;
    });
    client.connection.on("close", () => {
      this.#sinceMs ??= this.#unansweredSinceMs ?? clock.now();
    });
  }

  /** Why Redis cannot be read, and since when, one per line. */
  get notReady(): readonly string[] {
    const { notReady } = this.#client;
    const unansweredSinceMs = this.#unansweredSinceMs;
    const lines = notReady.length === 0 && unansweredSinceMs !== undefined ? ["redis: unanswered"] : notReady;
    const sinceMs = this.#sinceMs ?? unansweredSinceMs;
    const since = sinceMs === undefined ? "" : `, away since ${new Date(sinceMs).toISOString()}`;
    return lines.map((line) => `${line}${since}`);
  }

  /** Undefined while Redis answers in time. */
  get #unansweredSinceMs(): number | undefined {
    const { unansweredSinceMs } = this.#clock;
    if (unansweredSinceMs === undefined) return undefined;
    return this.#clock.now() - unansweredSinceMs >= answerPatienceMs ? unansweredSinceMs : undefined;
  }
}
