import {
  isSettled,
  type StreamEvent,
  type StreamHandler,
  type StreamState,
} from "@fleet-reloader/engine/ports/source-stream";

/** The common field of all objects that register clusters. */
export interface Keyed {
  /** `namespace/name` */
  readonly key: string;
}

/** The present objects of one collection. While the API server does not answer, they stay as they were. */
export class KeptObjects<T extends Keyed> implements StreamHandler<T> {
  #onChange: () => void = () => undefined;
  readonly #objects = new Map<string, T>();
  #listed = new Set<string>();
  #isComplete = false;
  #state: StreamState = "idle";
  #why = "not listed yet";

  /** Calls back after each change of the objects, and when our right to them is lost or granted. */
  whenChanged(onChange: () => void): void {
    this.#onChange = onChange;
  }

  get all(): readonly T[] {
    return [...this.#objects.values()];
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** The whole collection was listed once, or the resource does not exist. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** We have no right to it. */
  get isRefused(): boolean {
    return this.#state === "blocked";
  }

  /** Why it may be out of date; undefined when it is up to date. */
  get behind(): string | undefined {
    return this.#isComplete && isSettled(this.#state) ? undefined : `${this.#state} (${this.#why})`;
  }

  /** Keeps an object that was read on its own, besides the list + watch. */
  put(object: T): void {
    this.#listed.add(object.key);
    this.#objects.set(object.key, object);
  }

  /** Drops all other objects, without calling back: nobody needs them. */
  keepOnly(isKept: (object: T) => boolean): void {
    for (const [key, object] of this.#objects) if (!isKept(object)) this.#objects.delete(key);
  }

  listBegins(): void {
    this.#listed = new Set();
  }

  async page(objects: readonly T[]): Promise<void> {
    for (const object of objects) this.put(object);
  }

  async listed(): Promise<void> {
    for (const key of this.#objects.keys()) if (!this.#listed.has(key)) this.#objects.delete(key);
    this.#isComplete = true;
    this.#onChange();
  }

  async events(events: readonly StreamEvent<T>[]): Promise<void> {
    for (const { type, object } of events) {
      if (type === "delete") this.#objects.delete(object.key);
      else this.#objects.set(object.key, object);
    }
    this.#onChange();
  }

  stateChanged(state: StreamState, why: string): void {
    const wasRefused = this.isRefused;
    this.#state = state;
    this.#why = why;
    if (state === "absent") {
      this.#objects.clear();
      this.#isComplete = true;
    }
    if (state === "absent" || wasRefused !== this.isRefused) this.#onChange();
  }
}
