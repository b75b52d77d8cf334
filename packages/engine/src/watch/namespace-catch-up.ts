import type { StreamHandler } from "../ports/source-stream.ts";
import type { Stream } from "./cluster-streams.ts";

export interface CatchUpsOptions {
  /** Lists everything in a namespace, once. */
  readonly list: (namespace: string, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Lists namespaces that become served while the streams run, one after another. */
export class CatchUps {
  readonly #options: CatchUpsOptions;
  readonly #entered = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: CatchUpsOptions) {
    this.#options = options;
  }

  /** Resolves when no list is running. */
  get ended(): Promise<void> {
    return this.#last;
  }

  enter(namespace: string): void {
    const left = new AbortController();
    this.#entered.set(namespace, left);
    const either = AbortSignal.any([this.#options.signal, left.signal]);
    this.#last = this.#last.then(async () => {
      if (!either.aborted) await this.#options.list(namespace, either);
      if (this.#entered.get(namespace) === left) this.#entered.delete(namespace);
    });
  }

  leave(namespace: string): void {
    this.#entered.get(namespace)?.abort();
    this.#entered.delete(namespace);
  }
}

/** Runs a stream until its first list is complete or impossible. The stream over all namespaces retries an impossible one. */
export async function listOnce<T>(
  start: (handler: StreamHandler<T>) => Stream,
  handler: StreamHandler<T>,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const stream = start({
    listBegins: () => handler.listBegins(),
    page: (objects) => handler.page(objects),
    listed: async () => {
      await handler.listed();
      enough.abort();
    },
    events: async () => undefined,
  });
  await stream.run(AbortSignal.any([signal, enough.signal]), (state) => {
    if (state === "blocked" || state === "absent") enough.abort();
  });
}
