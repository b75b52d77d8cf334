import type { FrozenObjects } from "../admission/frozen-objects.ts";
import type { StreamHandler } from "../ports/source-stream.ts";

export interface FrozenWatchOptions<T> {
  readonly frozen: FrozenObjects;
  readonly keyOf: (object: T) => string;
  readonly isFrozen: (object: T) => boolean;
  /** The prefix of the keys of the stream's objects, and of no others. */
  readonly prefix: string;
}

/** Records which objects of a stream are frozen by an annotation, before the handler gets them. */
export function noteFrozen<T>(
  handler: StreamHandler<T>,
  { frozen, keyOf, isFrozen, prefix }: FrozenWatchOptions<T>,
): StreamHandler<T> {
  /** The keys of the frozen objects that the list has shown. */
  let listed = new Set<string>();
  return {
    listBegins() {
      listed = new Set();
      handler.listBegins();
    },
    async page(objects) {
      for (const object of objects) {
        const key = keyOf(object);
        if (isFrozen(object)) listed.add(key);
        frozen.set(key, isFrozen(object));
      }
      await handler.page(objects);
    },
    async listed() {
      const gone = [...frozen.keys].filter((key) => key.startsWith(prefix) && !listed.has(key));
      for (const key of gone) frozen.set(key, false);
      await handler.listed();
    },
    async events(events) {
      for (const { type, object } of events) frozen.set(keyOf(object), type === "upsert" && isFrozen(object));
      await handler.events(events);
    },
  };
}

/** The key prefix of workloads or sources of one kind; it covers all namespaces when none is given. */
export function keyPrefix(kind: string, namespace: string | undefined): string {
  return namespace === undefined ? `${kind}/` : `${kind}/${namespace}/`;
}
