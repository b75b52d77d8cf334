import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { Clock } from "../async/clock.ts";
import { Pace } from "../async/pace.ts";

export interface NameMatchesOptions {
  readonly compile: CompilePattern;
  readonly clock: Clock;
}

/** Lists and their names together: some megabytes. A forgotten entry is matched again. */
const entriesMax = 20_000;
/** A list may have a quarter of a million characters, and be needed for one name. */
const charactersMax = 8 * 1024 * 1024;
/** The cost of one item of a match, in characters. */
const matchCharacters = 8;

const noNames: readonly string[] = [];

interface MatchedList {
  /** Name → the items that match it. */
  readonly names: Map<string, readonly string[]>;
  characters: number;
}

/**
 * Finds which items of a list of patterns match which names. A tenant may write hundreds of patterns and thousands of names. Matches are
 * remembered for the lists in use. New ones are computed in slices, and everything else runs in between.
 */
export class NameMatches {
  readonly compile: CompilePattern;
  readonly #pace: Pace;
  /** By list, least recently used first. */
  readonly #lists = new Map<string, MatchedList>();

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
    const list = this.#listOf(items);
    for (const name of names) {
      const matching = list.names.get(name) ?? (await this.#matchNew(list, items, name));
      if (matching.length > 0) found.set(name, matching);
    }
    this.#forget();
    return found;
  }

  /** Whether an item matches the name. It may rest even if the list is remembered: a run over many such lists must not block others. */
  async isMatched(items: readonly string[], name: string): Promise<boolean> {
    if (items.length === 0) return false;
    if (this.#pace.isOver) await this.#pace.rest();
    return (await this.of(items, [name])).has(name);
  }

  async #matchNew(list: MatchedList, items: readonly string[], name: string): Promise<readonly string[]> {
    const matching = await this.#match(items, name);
    list.names.set(name, matching);
    list.characters += name.length + matching.length * matchCharacters;
    return matching;
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

  #listOf(items: readonly string[]): MatchedList {
    const key = JSON.stringify(items);
    const known = this.#lists.get(key) ?? { names: new Map(), characters: key.length };
    this.#lists.delete(key);
    this.#lists.set(key, known);
    return known;
  }

  /** Removes the least recently used lists, and at last the one in use. */
  #forget(): void {
    let [entries, characters] = [0, 0];
    for (const list of this.#lists.values()) {
      entries += 1 + list.names.size;
      characters += list.characters;
    }
    for (const [key, list] of this.#lists) {
      if (entries <= entriesMax && characters <= charactersMax) return;
      entries -= 1 + list.names.size;
      characters -= list.characters;
      this.#lists.delete(key);
    }
  }
}
