import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "./client.ts";

/** Since when Redis is away, for people who look at what was read before. */
export class RedisAbsence {
  readonly #client: RedisClient;
  #sinceMs: number | undefined;

  /** The clock goes on while Redis is away. */
  constructor({ client, clock }: { readonly client: RedisClient; readonly clock: Clock }) {
    this.#client = client;
    if (client.notReady.length > 0) this.#sinceMs = clock.now();
    client.connection.on("ready", () => {
      this.#sinceMs = undefined;
    });
    client.connection.on("close", () => {
      this.#sinceMs ??= clock.now();
    });
  }

  /** What keeps Redis from being read, and since when, a line each. */
  get notReady(): readonly string[] {
    const since = this.#sinceMs === undefined ? "" : `, away since ${new Date(this.#sinceMs).toISOString()}`;
    return this.#client.notReady.map((line) => `${line}${since}`);
  }
}
