import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { pendingLongestMs } from "../access/session-cookie.ts";
import type { PendingSignIn } from "./identity-issuer.ts";
import type { TextSeal } from "./text-seal.ts";

/** Pending sign-ins. Each is sealed and kept by the person's browser, so any dashboard of the fleet can complete it. */
export class PendingSignIns {
  readonly #seal: TextSeal;
  readonly #clock: Pick<Clock, "now">;

  /** All dashboards share this clock. */
  constructor(seal: TextSeal, clock: Pick<Clock, "now">) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** The text that a browser keeps for a sign-in. */
  write({ nonce, redirectUrl, state, path, verifier }: PendingSignIn): string {
    const endMs = this.#clock.now() + pendingLongestMs;
    return this.#seal.seal(JSON.stringify({ nonce, redirectUrl, state, path, verifier, endMs }), "");
  }

  /** The sign-in; undefined when there is none, it is over, or it is forged. */
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
