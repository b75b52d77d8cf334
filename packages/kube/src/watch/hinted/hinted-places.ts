import type { TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";
import { partsOf } from "./read-object.ts";

/** Where to read: one object, or a namespace when the name is `""`. */
export interface HintedPlace {
  readonly namespace: string;
  readonly name: string;
  readonly hints: readonly TakenHint[];
}

/**
 * The places of a collection that are to be read. Hints that are repeated at one place are one read, and of each key only the newest is
 * kept: to settle it settles the older ones. So there are at most as many as the store keeps.
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

  /** Also takes back what could not be read. */
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

  /** Some objects, or one namespace alone: what is read at the same time has to be about different objects. */
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

  /** A hint at an object, its namespace, or anything. */
  covers(namespace: string, name: string): boolean {
    return this.isAnywhere || [name, ""].some((its) => this.#places.has(`${namespace}/${its}`));
  }

  #takeAt(place: string): HintedPlace {
    const hints = [...(this.#places.get(place)?.values() ?? [])];
    this.#places.delete(place);
    const [namespace, name] = partsOf(place);
    return { namespace, name, hints };
  }

  /** The store has dropped these, too, when it took the hint that anything may have changed. */
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
