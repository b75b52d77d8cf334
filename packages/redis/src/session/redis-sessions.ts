import { createHash, randomBytes } from "node:crypto";
import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/** A person who has signed in. */
export interface SignInSession {
  readonly name: string;
  /** Proves for this session only that the person signed in. It cannot be used to sign in. */
  readonly proof: string;
  /** When it ends at the latest, by Redis' clock. */
  readonly endMs: number;
}

/** Where a session is used. */
export type SessionPlace = "browser" | "terminal";

/** Differences from a browser session that begins now. */
export interface NewSessionOptions {
  /** A secret; by default a new one. */
  readonly id?: string;
  readonly place?: SessionPlace;
  /** When it ends at the latest, by Redis' clock; by default 8 hours from now. */
  readonly endMs?: number;
}

/** A working day; then the person signs in again. */
export const sessionLongestMs = 8 * 3_600_000;
/** An idle session ends after this time. An open page sends a request every few seconds, a command only when somebody runs it. */
const sessionIdleMs: Readonly<Record<SessionPlace, number>> = {
  browser: 30 * 60_000,
  terminal: sessionLongestMs,
};
/** 256 bits cannot be guessed. */
const sessionIdBytes = 32;

/** The sign-in sessions, in Redis. Keys hold digests, so a reader of Redis learns no session id. */
export class RedisSessions {
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #clock: Pick<Clock, "now">;

  constructor(options: {
    readonly client: RedisClient;
    readonly keys: Keys;
    /** Redis' own clock. */
    readonly clock: Pick<Clock, "now">;
  }) {
    this.#client = options.client;
    this.#keys = options.keys;
    this.#clock = options.clock;
  }

  /** Begins a session, and resolves to its id, which is a secret. `prove` makes the proof for a session of this id. */
  async begin(name: string, prove: (id: string) => string, options: NewSessionOptions = {}): Promise<string> {
    const { endMs = this.#clock.now() + sessionLongestMs, place = "browser" } = options;
    const { id = randomBytes(sessionIdBytes).toString("base64url") } = options;
    const text = JSON.stringify({ name, proof: prove(id), endMs });
    await this.#client.connection.set(this.#keyOf(id), text, "PX", sessionIdleMs[place]);
    return id;
  }

  /** The session of this id; undefined: it has ended, or never existed. Extends the session. */
  async find(id: string, place: SessionPlace = "browser"): Promise<SignInSession | undefined> {
    const key = this.#keyOf(id);
    const read = parseJson((await this.#client.connection.getex(key, "PX", sessionIdleMs[place])) ?? "");
    const [name, proof, endMs] = [jsonText(read, "name"), jsonText(read, "proof"), jsonField(read, "endMs")];
    if (name === undefined || proof === undefined || typeof endMs !== "number") return undefined;
    if (this.#clock.now() < endMs) return { name, proof, endMs };
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
