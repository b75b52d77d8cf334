import { asFault } from "@fleet-reloader/domain/fault";
import { anythingKey, type Hint, type HintedResource, readHintKey } from "@fleet-reloader/domain/hint/hint";
import type { Log } from "../ports/log.ts";
import type { ClusterId } from "../ports/request.ts";
import type { HintStore, PendingHint } from "./hint-store.ts";

/** A collection that is read when hints ask for it. */
export interface HintedCollection extends HintedResource {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
}

/** A hint for one collection. */
export interface TakenHint extends PendingHint {
  /** Undefined: anything in the collection. */
  readonly at: Pick<Hint, "namespace" | "name"> | undefined;
  /** Call it when the hint was read and its requests are published. It also settles older hints with this key. */
  readonly settle: () => void;
}

/** The source of hints for the collections of one cluster. */
export interface HintSource {
  /** Calls back with each hint for the collection until `stop`. A subscriber lists first: earlier hints may be settled already. */
  subscribe(collection: HintedCollection, onHint: (hint: TakenHint) => void): { readonly stop: () => void };
}

interface Subscriber {
  readonly collection: HintedCollection;
  readonly onHint: (hint: TakenHint) => void;
}

export interface HintInboxOptions {
  readonly cluster: ClusterId;
  readonly store: Pick<HintStore, "follow" | "settle">;
  readonly log: Log;
}

/** Distributes the hints of one cluster to its collections. A hint is settled when all collections that it concerns have read it. */
export class HintInbox implements HintSource {
  readonly #options: HintInboxOptions;
  readonly #subscribers = new Set<Subscriber>();
  #settled: PendingHint[] = [];
  #settling: Promise<void> | undefined;

  constructor(options: HintInboxOptions) {
    this.#options = options;
  }

  subscribe(collection: HintedCollection, onHint: (hint: TakenHint) => void): { readonly stop: () => void } {
    const subscriber = { collection, onHint };
    this.#subscribers.add(subscriber);
    return { stop: () => void this.#subscribers.delete(subscriber) };
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, store } = this.#options;
    await store.follow(cluster, signal, (hints) => {
      for (const hint of hints) this.#distribute(hint);
    });
  }

  /** A hint without a subscriber is settled at once: a later subscriber lists first. */
  #distribute(pending: PendingHint): void {
    const hint = readHintKey(pending.key);
    const isKnown = hint !== undefined || pending.key === anythingKey;
    const concerned = [...this.#subscribers].filter(
      ({ collection }) => isKnown && (hint === undefined || concerns(hint, collection)),
    );
    let left = concerned.length;
    if (left === 0) this.#settle(pending);
    const settle = (): void => {
      left -= 1;
      if (left === 0) this.#settle(pending);
    };
    const { key, number } = pending;
    for (const { onHint } of concerned) onHint({ key, number, at: hint, settle });
  }

  /** Hints that are read during a call go with the next call. */
  #settle(pending: PendingHint): void {
    this.#settled.push(pending);
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = undefined;
    });
  }

  async #settleAll(): Promise<void> {
    const { cluster, store, log } = this.#options;
    while (this.#settled.length > 0) {
      const batch = this.#settled;
      this.#settled = [];
      try {
        await store.settle(cluster, batch);
      } catch (error) {
        // The next watcher of the cluster gets them again. Each then costs a read.
        log.debug({ count: batch.length, err: asFault(error).message }, "hints not settled");
      }
    }
  }
}

function concerns(hint: Hint, { group, resource, namespace }: HintedCollection): boolean {
  if (hint.group !== group || hint.resource !== resource) return false;
  return namespace === undefined || hint.namespace === "" || hint.namespace === namespace;
}
