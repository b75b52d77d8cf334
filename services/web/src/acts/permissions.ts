import type { ActName, PermissionsAnswer } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiAnswered } from "../ask-api.ts";
import type { OfferedPlace } from "./act-offer.ts";

/** Maximum places that one question may name. */
const placesAtOnce = 200;

/** The permissions of the person that the page knows. Views request them while they are drawn. */
export class Permissions {
  readonly #known = new Map<string, readonly ActName[]>();
  readonly #wanted = new Set<string>();
  #isAsking = false;
  #isNobody = false;

  /** The acts permitted in a place. A place that is not known yet is in the next question. */
  of({ cluster, namespace }: OfferedPlace): readonly ActName[] {
    const key = `${cluster}/${namespace}`;
    const known = this.#known.get(key);
    if (known === undefined) this.#wanted.add(key);
    return known ?? [];
  }

  /** Asks for the requested places. Resolves to whether a new permission was found. Without an answer nothing is permitted. */
  async ask(send: (question: string) => Promise<ApiAnswered>): Promise<boolean> {
    if (this.#isAsking || this.#isNobody || this.#wanted.size === 0) return false;
    const keys = [...this.#wanted].slice(0, placesAtOnce);
    this.#wanted.clear();
    this.#isAsking = true;
    const query = keys.map((key) => `place=${encodeURIComponent(key)}`).join("&");
    const answer = await send(`/api/v1/acts?${query}`);
    this.#isAsking = false;
    // The next drawing asks again.
    if (answer.type === "failed") return false;
    const { by = "", places = {} } = answer.body as Partial<PermissionsAnswer>;
    // A sign-in reloads the page, and so resets this.
    this.#isNobody = by === "";
    for (const key of keys) this.#known.set(key, places[key] ?? []);
    return keys.some((key) => (places[key] ?? []).length > 0);
  }

  /** Makes the next view ask again, because roles change. */
  forget(): void {
    this.#known.clear();
    this.#wanted.clear();
  }
}
