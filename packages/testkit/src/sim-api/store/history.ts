import type { KubeObject } from "../objects/kube-object.ts";

/** One accepted change of one object. A deletion has no `after`. */
export interface Change {
  readonly version: number;
  readonly namespace: string;
  readonly name: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** The latest changes of one resource, as many as `limit`; what came before is 410 for everybody. */
export class History {
  readonly #limit: number;
  #changes: Change[] = [];
  /** Changes up to here are forgotten. */
  #floor: number;

  constructor(limit: number, floor: number) {
    this.#limit = limit;
    this.#floor = floor;
  }

  get floor(): number {
    return this.#floor;
  }

  add(change: Change): void {
    this.#changes.push(change);
    // Cut in blocks: dropping one by one would copy the array at every write.
    if (this.#changes.length < this.#limit + this.#slack()) return;
    const dropped = this.#changes.splice(0, this.#changes.length - this.#limit);
    this.#floor = dropped.at(-1)?.version ?? this.#floor;
  }

  /** Changes with a version above `version`, oldest first. */
  since(version: number): readonly Change[] {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  forgetUpTo(version: number): void {
    this.#changes = [...this.since(version)];
    this.#floor = Math.max(this.#floor, version);
  }

  /** Takes the changes above `version` out and returns them, newest first. */
  takeBack(version: number): readonly Change[] {
    const undone = this.since(version).toReversed();
    this.#changes.length -= undone.length;
    return undone;
  }

  #slack(): number {
    return Math.ceil(this.#limit / 8);
  }
}
