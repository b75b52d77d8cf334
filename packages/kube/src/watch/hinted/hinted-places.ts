import type { TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";
import { partsOf } from "./read-object.ts";

/** Where to read: one object, or a namespace when the name is `""`. */
export interface HintedPlace {
  readonly namespace: string;
  readonly name: string;
  readonly hints: readonly TakenHint[];
}

/**
 * The places of a collection to read. Repeated hints at one place are one read, and only the newest hint of each key is kept, because settling it
 * settles the older ones. So there are at most as many as in the store.
 */
export class HintedPlaces {
  /** `namespace/name` → the hints there, by key. */
  readonly #places = new Map<string, Map<string, TakenHint>>();
  /** The newest hint that anything may have changed. */
  #anywhere: TakenHint | undefined;

  get size(): number {
    return this.#places.size;
  }

  get isAnywhere(): boolean {
    return this.#anywhere !== undefined;
  }

  /** Also puts back hints whose read failed. */
  add(hint: TakenHint): void {
    if (hint.at === undefined) {
      this.#anywhere = newerOf(this.#anywhere, hint);
      this.#dropBefore(hint.number);
      return;
    }
    const place = `${hint.at.namespace}/${hint.at.name}`;
    const hints = this.#places.get(place) ?? new Map<string, TakenHint>();
    hints.set(hint.key, newerOf(hints.get(hint.key), hint));
    this.#places.set(place, hints);
  }

  /** Takes some objects, or one single namespace: concurrent reads must be about different objects. */
  take(objectsMax: number): readonly HintedPlace[] {
    const places = [...this.#places.keys()];
    const objects = places.filter((place) => partsOf(place)[1] !== "").slice(0, objectsMax);
    return (objects.length > 0 ? objects : places.slice(0, 1)).map((place) => this.#takeAt(place));
  }

  /** All hints, for a list that reads everything. */
  takeAll(): readonly TakenHint[] {
    const placed = [...this.#places.values()].flatMap((hints) => [...hints.values()]);
    const all = this.#anywhere === undefined ? placed : [this.#anywhere, ...placed];
    this.#anywhere = undefined;
    this.#places.clear();
    return all;
  }

  /** Whether there is a hint at the object, at its namespace, or at anything. */
  covers(namespace: string, name: string): boolean {
    return this.isAnywhere || [name, ""].some((its) => this.#places.has(`${namespace}/${its}`));
  }

  #takeAt(place: string): HintedPlace {
    const hints = [...(this.#places.get(place)?.values() ?? [])];
    this.#places.delete(place);
    const [namespace, name] = partsOf(place);
    return { namespace, name, hints };
  }

  /** The store also dropped these when it received the hint that anything may have changed. */
  #dropBefore(number: number): void {
    for (const [place, hints] of this.#places) {
      for (const hint of hints.values()) if (hint.number < number) hints.delete(hint.key);
      if (hints.size === 0) this.#places.delete(place);
    }
  }
}

function newerOf(kept: TakenHint | undefined, hint: TakenHint): TakenHint {
  return kept !== undefined && kept.number > hint.number ? kept : hint;
}
