import type { TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";

/** Where to read: one object, or a namespace when the name is `""`. */
export interface HintedPlace {
  readonly namespace: string;
  readonly name: string;
  readonly hints: readonly TakenHint[];
}

/** The places of a collection that are to be read. Repeated hints at one place are one read. */
export class HintedPlaces {
  readonly #places = new Map<string, HintedPlace>();
  /** Hints that anything may have changed. */
  #anywhere: TakenHint[] = [];

  get size(): number {
    return this.#places.size;
  }

  get isAnywhere(): boolean {
    return this.#anywhere.length > 0;
  }

  add(hint: TakenHint): void {
    if (hint.at === undefined) {
      this.#anywhere.push(hint);
      return;
    }
    const { namespace, name } = hint.at;
    const key = `${namespace}/${name}`;
    this.#places.set(key, { namespace, name, hints: [...(this.#places.get(key)?.hints ?? []), hint] });
  }

  /** Some objects, or one namespace alone: what is read at the same time has to be about different objects. */
  take(objectsMax: number): readonly HintedPlace[] {
    const objects = [...this.#places.values()].filter(({ name }) => name !== "").slice(0, objectsMax);
    const taken = objects.length > 0 ? objects : [...this.#places.values()].slice(0, 1);
    for (const { namespace, name } of taken) this.#places.delete(`${namespace}/${name}`);
    return taken;
  }

  /** All hints, for a list that reads everything. */
  takeAll(): readonly TakenHint[] {
    const all = [...this.#anywhere, ...[...this.#places.values()].flatMap(({ hints }) => hints)];
    this.#anywhere = [];
    this.#places.clear();
    return all;
  }

  /** A hint at an object, its namespace, or anything. */
  covers(namespace: string, name: string): boolean {
    return this.isAnywhere || [name, ""].some((its) => this.#places.has(`${namespace}/${its}`));
  }
}
