import type { TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";

/**
 * Changes that a list found before any hint announced them. A hint may still arrive; one that does not arrive in time is missed. The change
 * itself is published with the list.
 */
export class UnhintedChanges {
  readonly #graceMs: number;
  /** `namespace/name` → when a list found it. */
  readonly #found = new Map<string, number>();
  /** When the verdict on the last list is due; undefined: it was given. */
  #judgeAtMs: number | undefined;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  get judgeAtMs(): number | undefined {
    return this.#judgeAtMs;
  }

  /** A list found changes of these objects. */
  found(keys: Iterable<string>, nowMs: number): void {
    for (const key of keys) if (!this.#found.has(key)) this.#found.set(key, nowMs);
    this.#judgeAtMs ??= nowMs + this.#graceMs;
  }

  /** A hint arrived after all. */
  hinted({ at }: TakenHint): void {
    if (at === undefined) this.#found.clear();
    else if (at.name !== "") this.#found.delete(`${at.namespace}/${at.name}`);
    else
      for (const key of this.#found.keys())
        if (at.namespace === "" || key.startsWith(`${at.namespace}/`)) this.#found.delete(key);
  }

  /** The names of missed changes; undefined while it is too early to tell. */
  judge(nowMs: number): readonly string[] | undefined {
    if (this.#judgeAtMs === undefined || nowMs < this.#judgeAtMs) return undefined;
    const missed = [...this.#found].filter(([, atMs]) => nowMs - atMs >= this.#graceMs).map(([key]) => key);
    for (const key of missed) this.#found.delete(key);
    const [next] = this.#found.values();
    this.#judgeAtMs = next === undefined ? undefined : next + this.#graceMs;
    return missed;
  }
}
