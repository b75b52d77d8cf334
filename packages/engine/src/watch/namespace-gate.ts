import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { StreamEvent, StreamHandler } from "../ports/source-stream.ts";

interface NamespacedEvent {
  readonly ref: { readonly namespace: string };
}

/** Passes only objects in served namespaces to the handler. */
export function servedOnly<T extends NamespacedEvent>(
  handler: StreamHandler<T>,
  isServed: (namespace: string) => boolean,
): StreamHandler<T> {
  const isInside = ({ ref }: T) => isServed(ref.namespace);
  return {
    listBegins: () => handler.listBegins(),
    page: (objects) => handler.page(objects.filter(isInside)),
    listed: () => handler.listed(),
    events: async (events) => {
      const inside = events.filter(({ object }) => isInside(object));
      if (inside.length > 0) await handler.events(inside);
    },
  };
}

/**
 * Joins the stream over all namespaces and the list of a newly served namespace into one handler. Both show the same objects at different
 * times. An object that the stream has shown since the list began is newer, so the list's state of it is dropped.
 */
export class NamespaceGate<T extends { readonly ref: WorkloadRef }> implements StreamHandler<T> {
  readonly #handler: StreamHandler<T>;
  readonly #isServed: (namespace: string) => boolean;
  /** For each namespace that is being listed: the keys that the stream has shown since. */
  readonly #shown = new Map<string, Set<string>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(handler: StreamHandler<T>, isServed: (namespace: string) => boolean) {
    this.#handler = handler;
    this.#isServed = isServed;
  }

  listBegins(): void {
    this.#handler.listBegins();
  }

  page(objects: readonly T[]): Promise<void> {
    return this.alone(() => this.#handler.page(this.#let(objects, (object) => object)));
  }

  listed(): Promise<void> {
    return this.alone(() => this.#handler.listed());
  }

  events(events: readonly StreamEvent<T>[]): Promise<void> {
    return this.alone(async () => {
      const inside = this.#let(events, ({ object }) => object);
      if (inside.length > 0) await this.#handler.events(inside);
    });
  }

  /** The handler for the list of one namespace. */
  catchUp(namespace: string): StreamHandler<T> {
    return {
      listBegins: () => void this.#shown.set(namespace, new Set()),
      page: (objects) =>
        this.alone(async () => {
          const shown = this.#shown.get(namespace);
          const unseen = objects.filter(({ ref }) => shown?.has(workloadKey(ref)) !== true);
          if (this.#isServed(namespace)) await this.#handler.page(unseen);
        }),
      listed: async () => void this.#shown.delete(namespace),
      events: async () => undefined,
    };
  }

  /** Runs the work while no object of the stream or of a list is handled. */
  alone(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #let<I>(items: readonly I[], objectOf: (item: I) => T): readonly I[] {
    const inside = items.filter((item) => this.#isServed(objectOf(item).ref.namespace));
    for (const item of inside) {
      const { ref } = objectOf(item);
      this.#shown.get(ref.namespace)?.add(workloadKey(ref));
    }
    return inside;
  }
}
