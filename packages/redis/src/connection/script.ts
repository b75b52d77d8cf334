import { createHash } from "node:crypto";
import type { RedisConnection } from "./client.ts";

/** A Lua script that is sent once and then called by its digest; sent again when Redis has forgotten it (restart, flush). */
export class Script {
  readonly #source: string;
  readonly #sha: string;

  constructor(source: string) {
    this.#source = source;
    // The digest Redis itself goes by: https://redis.io/docs/latest/commands/evalsha/
    this.#sha = createHash("sha1").update(source).digest("hex");
  }

  /** Several keys have to lie in one slot. */
  async run(
    redis: RedisConnection,
    keys: string | readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const all = typeof keys === "string" ? [keys] : keys;
    try {
      return await redis.evalsha(this.#sha, all.length, ...all, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return await redis.eval(this.#source, all.length, ...all, ...args);
    }
  }

  /** The same where Redis itself refuses every write of the script. */
  async runReadOnly(
    redis: RedisConnection,
    keys: string | readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const all = typeof keys === "string" ? [keys] : keys;
    try {
      return await redis.evalsha_ro(this.#sha, all.length, ...all, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return await redis.eval_ro(this.#source, all.length, ...all, ...args);
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}
