import { jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { type SignInSession, sessionLongestMs } from "@fleet-reloader/redis/session/redis-sessions";
import type { IssuedPerson } from "./issued-person.ts";
import type { TextSeal } from "./text-seal.ts";

/** A person who signed in with the issuer. */
export interface IssuedSession extends IssuedPerson {
  /** The end of the sign-in, by Redis' clock. */
  readonly endMs: number;
}

/**
 * The content of issuer sessions in Redis: groups and end, sealed for one session of one person. A writer of Redis can neither make nor change
 * one, move it to another session, nor prolong it.
 */
export class IssuedSessions {
  readonly #seal: TextSeal;
  readonly #clock: Pick<Clock, "now">;

  /** The seal is derived from the issuer, our client there and its secret: when one of these changes, the sessions end. The clock is Redis' own. */
  constructor(seal: TextSeal, clock: Pick<Clock, "now">) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** The proof of a session with this id that begins now. A session that continues another one ends with it. */
  prove(
    id: string,
    { groups, name }: IssuedPerson,
    endMs: number = this.#clock.now() + sessionLongestMs,
  ): string {
    return this.#seal.seal(JSON.stringify({ groups, endMs }), sealedPlaceOf(id, name));
  }

  /** The person of a session; undefined when it is not of this issuer, or has ended. */
  personOf(id: string, { name, proof }: Pick<SignInSession, "name" | "proof">): IssuedSession | undefined {
    const text = this.#seal.open(proof, sealedPlaceOf(id, name));
    const read = parseJson(text ?? "");
    const endMs = jsonField(read, "endMs");
    if (typeof endMs !== "number" || this.#clock.now() >= endMs) return undefined;
    return { name, groups: jsonList(read, "groups").filter((group) => typeof group === "string"), endMs };
  }
}

function sealedPlaceOf(id: string, name: string): string {
  return JSON.stringify([id, name]);
}
