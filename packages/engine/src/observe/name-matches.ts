import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { Clock } from "../async/clock.ts";
import { Pace } from "../async/pace.ts";

export interface NameMatchesOptions {
  readonly compile: CompilePattern;
  readonly clock: Clock;
}

/** Names of all lists together: some megabytes. A forgotten name is matched again. */
const matchesMax = 20_000;

const noNames: readonly string[] = [];

/**
 * Which items of a list of patterns match which names. A tenant may write hundreds of patterns and thousands of names. Matches are
 * remembered for the lists in use. New ones are computed in slices, and everything else runs in between.
 */
export class NameMatches {
  readonly compile: CompilePattern;
  readonly #pace: Pace;
  /** By list, least recently used first: name → the items that match it. */
  readonly #lists = new Map<string, Map<string, readonly string[]>>();

  constructor({ compile, clock }: NameMatchesOptions) {
    this.compile = compile;
    this.#pace = new Pace(clock);
  }

  /** The names that an item matches, each with all items that match it. */
  async of(
    items: readonly string[],
    names: Iterable<string>,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, readonly string[]>();
    if (items.length === 0) return found;
    const known = this.#listOf(items);
    for (const name of names) {
      const matching = known.get(name) ?? (await this.#match(items, name));
      known.set(name, matching);
      if (matching.length > 0) found.set(name, matching);
    }
    this.#forget(known);
    return found;
  }

  async #match(items: readonly string[], name: string): Promise<readonly string[]> {
    const matching: string[] = [];
    for (const item of items) {
      if (this.#pace.isOver) await this.#pace.rest();
      const pattern = this.compile(`^${item}$`);
      if ("matches" in pattern && pattern.matches(name)) matching.push(item);
    }
    return matching.length === 0 ? noNames : matching;
  }

  #listOf(items: readonly string[]): Map<string, readonly string[]> {
    const key = JSON.stringify(items);
    const known = this.#lists.get(key) ?? new Map<string, readonly string[]>();
    this.#lists.delete(key);
    this.#lists.set(key, known);
    return known;
  }

  /** Removes the least recently used lists, and in the end also the names of the one in use. */
  #forget(inUse: Map<string, readonly string[]>): void {
    let names = 0;
    for (const list of this.#lists.values()) names += list.size;
    for (const [key, list] of this.#lists) {
      if (names <= matchesMax) return;
      names -= list.size;
      if (list === inUse) list.clear();
      else this.#lists.delete(key);
    }
  }
}
