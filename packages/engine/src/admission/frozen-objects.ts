import { RecentMap } from "../async/recent-map.ts";

/** How many objects are remembered whose freeze has ended. A hold that one of them caused ends within seconds. */
const thawedMax = 10_000;

/**
 * The objects of a cluster that an annotation freezes, as its streams show them. Only those, and those whose freeze has ended, are in
 * memory. Keys are those of workloads and sources, which differ in kind.
 */
export class FrozenObjects {
  readonly #frozen = new Set<string>();
  readonly #thawed = new RecentMap<string, true>(thawedMax);
  #version = 0;

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  /** Undefined for an object that was never seen frozen: it may not be in any stream. */
  isFrozen(key: string): boolean | undefined {
    if (this.#frozen.has(key)) return true;
    return this.#thawed.get(key) === true ? false : undefined;
  }

  /** The keys of the frozen objects. */
  get keys(): Iterable<string> {
    return this.#frozen;
  }

  set(key: string, isFrozen: boolean): void {
    if (isFrozen === this.#frozen.has(key)) return;
    this.#version += 1;
    if (isFrozen) {
      this.#frozen.add(key);
      this.#thawed.delete(key);
      return;
    }
    this.#frozen.delete(key);
    this.#thawed.set(key, true);
  }
}
