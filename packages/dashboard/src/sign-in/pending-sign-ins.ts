import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { pendingLongestMs } from "../access/session-cookie.ts";
import type { PendingSignIn } from "./identity-issuer.ts";
import type { TextSeal } from "./text-seal.ts";

/** Sign-ins that are under way. Each is sealed and kept by the person's browser, so any dashboard of the fleet can end it. */
export class PendingSignIns {
  readonly #seal: TextSeal;
  readonly #clock: Pick<Clock, "now">;

  /** The clock is the one of all dashboards. */
  constructor(seal: TextSeal, clock: Pick<Clock, "now">) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** What a browser keeps of a sign-in. */
  write({ nonce, redirectUrl, state, path, verifier }: PendingSignIn): string {
    const endMs = this.#clock.now() + pendingLongestMs;
    return this.#seal.seal(JSON.stringify({ nonce, redirectUrl, state, path, verifier, endMs }), "");
  }

  /** The sign-in; undefined: there was none, it is over, or it is forged. */
  read(kept: string): PendingSignIn | undefined {
    const read = parseJson(this.#seal.open(kept, "") ?? "");
    const endMs = jsonField(read, "endMs");
    if (typeof endMs !== "number" || this.#clock.now() >= endMs) return undefined;
    const text = (name: keyof PendingSignIn) => jsonText(read, name) ?? "";
    return {
      state: text("state"),
      nonce: text("nonce"),
      verifier: text("verifier"),
      redirectUrl: text("redirectUrl"),
      path: text("path"),
    };
  }
}
