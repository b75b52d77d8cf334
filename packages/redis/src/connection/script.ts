import { createHash } from "node:crypto";
import type { RedisConnection } from "./client.ts";

/** A Lua script that is sent once and then called by its digest. It is sent again when Redis has forgotten it (restart, flush). */
export class Script {
  readonly #source: string;
  readonly #sha: string;

  constructor(source: string) {
    this.#source = source;
    // Redis identifies a script by this digest: https://redis.io/docs/latest/commands/evalsha/
    this.#sha = createHash("sha1").update(source).digest("hex");
  }

  /** Several keys have to lie in one slot. */
  async run(
    redis: RedisConnection,
    keys: string | readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const call = callOf(keys, args);
    return await sentIfUnknown(
      () => redis.evalsha(this.#sha, ...call),
      () => redis.eval(this.#source, ...call),
    );
  }

  /** The same, but Redis itself refuses every write of the script. */
  async runReadOnly(
    redis: RedisConnection,
    keys: string | readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const call = callOf(keys, args);
    return await sentIfUnknown(
      () => redis.evalsha_ro(this.#sha, ...call),
      () => redis.eval_ro(this.#source, ...call),
    );
  }
}

function callOf(
  keys: string | readonly string[],
  args: readonly string[],
): readonly [keys: number, ...words: string[]] {
  const all = typeof keys === "string" ? [keys] : keys;
  return [all.length, ...all, ...args];
}

async function sentIfUnknown(
  byDigest: () => Promise<unknown>,
  bySource: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await byDigest();
  } catch (error) {
    const isUnknown = error instanceof Error && error.message.startsWith("NOSCRIPT");
    if (!isUnknown) throw error;
    return await bySource();
  }
}
