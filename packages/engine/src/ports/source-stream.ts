/** Where a list + watch of one resource stands. `absent`: the API server does not have the resource, which may change. */
export type StreamState = "idle" | "listing" | "watching" | "backoff" | "blocked" | "absent" | "stopped";

/** All there is of the resource is known: nothing has to wait for it. */
export function isSettled(state: StreamState): boolean {
  return state === "watching" || state === "absent";
}

/** Hears of each state of a stream and why it is so, beside what the stream shows its handler. */
export type StateListener = (state: StreamState, why: string) => void;

/** One event of a watch. Deleted carries the last state the server knew. */
export interface StreamEvent<T> {
  readonly type: "upsert" | "delete";
  readonly object: T;
  /** It has just been made. Absent: it was there before, or nobody knows. */
  readonly isNew?: true;
}

/**
 * Receives what a reflector sees, strictly in order; the reflector does not advance its resume point before the promise
 * resolves, and reads no further meanwhile (back-pressure). After a rejection and a back-off the same events come again.
 */
export interface StreamHandler<T> {
  /** A complete list begins: everything it will show follows in `page` calls. */
  listBegins(): void;
  page(objects: readonly T[]): Promise<void>;
  /** The list is complete and consistent: what was not in it does not exist. */
  listed(): Promise<void>;
  events(events: readonly StreamEvent<T>[]): Promise<void>;
}
