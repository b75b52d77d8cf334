import type { Clock } from "../async/clock.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { StreamHandler } from "../ports/source-stream.ts";
import type { Stream } from "./cluster-streams.ts";
import { listPatienceMs } from "./first-lists.ts";

/** Lists everything of one kind in a namespace, once. `onFailure` is called for each attempt that fails and is retried. */
export type NamespaceList = (namespace: string, signal: AbortSignal, onFailure: () => void) => Promise<void>;

export interface CatchUpsOptions {
  /** One list for each kind. */
  readonly workloads: readonly NamespaceList[];
  readonly sources: readonly NamespaceList[];
  /** Called when everything in the namespace has been listed. */
  readonly onServed: (namespace: string) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/**
 * Lists namespaces that become served while the streams run. It lists each kind on its own, one namespace after another, so a kind whose
 * list fails delays only its own lists. The sources of a namespace are listed after its workloads, but do not wait long for a kind whose
 * list fails.
 */
export class CatchUps {
  readonly #options: CatchUpsOptions;
  readonly #workloads: readonly KindLists[];
  readonly #sources: readonly KindLists[];
  readonly #entered = new Map<string, AbortController>();

  constructor(options: CatchUpsOptions) {
    const { clock, sources, workloads } = options;
    this.#options = options;
    this.#workloads = workloads.map((list) => new KindLists(list, clock));
    this.#sources = sources.map((list) => new KindLists(list, clock));
  }

  /** Resolves when no list is running; the signal has to be aborted for that. */
  async ended(): Promise<void> {
    await Promise.all([...this.#workloads, ...this.#sources].map(({ over }) => over));
  }

  async enter(namespace: string): Promise<void> {
    const left = new AbortController();
    this.#entered.set(namespace, left);
    const signal = AbortSignal.any([this.#options.signal, left.signal]);
    const workloads = this.#workloads.map((lists) => lists.add(namespace, signal));
    const known = Promise.all(this.#workloads.map(({ overOrLate }) => overOrLate));
    const sources = this.#sources.map((lists) => lists.add(namespace, signal, known));
    await Promise.all([...workloads, ...sources]);
    if (this.#entered.get(namespace) === left) this.#entered.delete(namespace);
    if (!signal.aborted) this.#options.onServed(namespace);
  }

  leave(namespace: string): void {
    this.#entered.get(namespace)?.abort();
    this.#entered.delete(namespace);
  }
}

/** The lists of one kind, one after another. */
class KindLists {
  readonly #list: NamespaceList;
  readonly #clock: CatchUpsOptions["clock"];
  #over = Promise.resolve();
  /** Resolved while the current list has failed for long. */
  #late = Promise.withResolvers<void>();

  constructor(list: NamespaceList, clock: CatchUpsOptions["clock"]) {
    this.#list = list;
    this.#clock = clock;
  }

  /** Resolves when each list so far is complete, impossible or aborted. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Like `over`, but does not wait for a list that fails for long. */
  get overOrLate(): Promise<void> {
    return Promise.race([this.#over, this.#late.promise]);
  }

  add(namespace: string, signal: AbortSignal, after?: Promise<unknown>): Promise<void> {
    this.#over = this.#over.then(async () => {
      await after;
      if (!signal.aborted) await this.#run(namespace, signal);
    });
    return this.#over;
  }

  async #run(namespace: string, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    let patience: Promise<void> | undefined;
    await this.#list(namespace, signal, () => {
      patience ??= this.#endPatience(ended.signal);
    });
    ended.abort();
    await patience;
  }

  async #endPatience(ended: AbortSignal): Promise<void> {
    await this.#clock.sleep(listPatienceMs, ended).catch(() => undefined);
    if (ended.aborted) return;
    this.#late.resolve();
    await untilAborted(ended);
    this.#late = Promise.withResolvers();
  }
}

/** Decides how the list of one namespace goes on after a failed attempt. */
export interface FailedLists {
  /** An attempt failed and is retried. */
  readonly onFailure: () => void;
  /** Whether the stream over all namespaces is refused, too: it retries, and then lists this namespace with all others. */
  readonly isRefusedEverywhere: () => boolean;
}

/** Runs a stream until its first list is complete or impossible. If only this list is refused, the next attempt may succeed. */
export async function listOnce<T>(
  start: (handler: StreamHandler<T>) => Stream,
  handler: StreamHandler<T>,
  signal: AbortSignal,
  { onFailure, isRefusedEverywhere }: FailedLists,
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
    if (state === "absent" || (state === "blocked" && isRefusedEverywhere())) enough.abort();
    else if (state === "backoff" || state === "blocked") onFailure();
  });
}
