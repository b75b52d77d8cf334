/** The state of a list + watch. `absent`: the API server does not have the resource now. */
export type StreamState = "idle" | "listing" | "watching" | "backoff" | "blocked" | "absent" | "stopped";

/** Every object of the resource is known, so nothing has to wait for the stream. */
export function isSettled(state: StreamState): boolean {
  return state === "watching" || state === "absent";
}

/** Receives each state of a stream with its reason. Objects go to the handler. */
export type StateListener = (state: StreamState, why: string) => void;

/** One event of a watch. A deletion carries the last state that the server knew. */
export interface StreamEvent<T> {
  readonly type: "upsert" | "delete";
  readonly object: T;
  /** The object was just created. Absent: it existed before, or nobody knows. */
  readonly isNew?: true;
}

/**
 * Receives the objects of a stream, strictly in order. The stream waits for each promise (back-pressure) and advances its
 * resume point only after it has resolved. After a rejection and a back-off the same events come again.
 */
export interface StreamHandler<T> {
  /** A complete list begins. Its objects follow in `page` calls. */
  listBegins(): void;
  page(objects: readonly T[]): Promise<void>;
  /** The list is complete and consistent: an object that was not in it does not exist. */
  listed(): Promise<void>;
  events(events: readonly StreamEvent<T>[]): Promise<void>;
}
