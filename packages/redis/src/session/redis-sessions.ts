import { createHash, randomBytes } from "node:crypto";
import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/** Somebody who has signed in. */
export interface SignInSession {
  readonly name: string;
  /** What says that this person signed in, for this session only. Nobody can sign in with it. */
  readonly proof: string;
}

/** A working day; then somebody signs in again. */
export const sessionLongestMs = 8 * 3_600_000;
/** Of nobody's asking: a page that is looked at asks every few seconds. */
const sessionIdleMs = 30 * 60_000;
/** 256 bits: nobody guesses them. */
const sessionIdBytes = 32;

/** The sessions of people, in Redis. A reader of Redis learns no id of a session: keys have digests. */
export class RedisSessions {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #clock: Pick<Clock, "now">;

  constructor(options: {
    readonly client: RedisClient;
    readonly keys: Keys;
    /** Redis' own. */
    readonly clock: Pick<Clock, "now">;
  }) {
    this.#client = options.client;
    this.#keys = options.keys;
    this.#clock = options.clock;
  }

  /** Begins a session, and resolves to its id, which is a secret. `prove` makes the proof for a session of this id. */
  async begin(name: string, prove: (id: string) => string): Promise<string> {
    const id = randomBytes(sessionIdBytes).toString("base64url");
    const proof = prove(id);
    const text = JSON.stringify({ name, proof, endMs: this.#clock.now() + sessionLongestMs });
    await this.#client.connection.set(this.#keyOf(id), text, "PX", sessionIdleMs);
    return id;
  }

  /** The session of this id; undefined: it has ended, or there was none. It lives on from now. */
  async find(id: string): Promise<SignInSession | undefined> {
    const key = this.#keyOf(id);
    const read = parseJson((await this.#client.connection.getex(key, "PX", sessionIdleMs)) ?? "");
    const [name, proof, endMs] = [jsonText(read, "name"), jsonText(read, "proof"), jsonField(read, "endMs")];
    if (name === undefined || proof === undefined || typeof endMs !== "number") return undefined;
    if (this.#clock.now() < endMs) return { name, proof };
    await this.end(id);
    return undefined;
  }

  async end(id: string): Promise<void> {
    await this.#client.connection.unlink(this.#keyOf(id));
  }

  #keyOf(id: string): string {
    return this.#keys.fleet.session(createHash("sha256").update(id).digest("hex"));
  }
}
