import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { HintSource, TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { StateListener, StreamHandler, StreamState } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import { Backoff } from "../../backoff.ts";
import type { Connection } from "../../http/connection.ts";
import { text } from "../../json.ts";
import type { Collection } from "../../resource.ts";
import { listCollection } from "../list-collection.ts";
import { type HintedPlace, HintedPlaces } from "./hinted-places.ts";
import { eventsOf, keyOf, partsOf, type ReadObject, remainderOf } from "./read-object.ts";
import { UnhintedChanges } from "./unhinted-changes.ts";

export interface HintedReflectorOptions<T> {
  readonly connection: Connection;
  readonly collection: Collection;
  /** Reads what the handler needs of an object; undefined leaves the object out. */
  readonly parse: (object: unknown) => T | undefined;
  /** A text of everything in an object whose changes need a hint: equal prints need none. */
  readonly printOf: (object: unknown) => string;
  /**
   * How a read object is passed on. `event`: it was written just now. `listed`: this is its state, and the time of the change is unknown; several
   * writes may be one read.
   */
  readonly as: "event" | "listed";
  readonly handler: StreamHandler<T>;
  readonly hints: HintSource;
  /** A resource whose hints are worth a read of the namespace here. */
  readonly alsoHintedBy?: HintedResource | undefined;
  /** The differences that the last list found and no hint announced, as `namespace/name`; none when all is well. */
  readonly onMissed: (names: readonly string[]) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<HintTimings> | undefined;
}

export interface HintTimings {
  /** Period of a full list, plus or minus a fifth. It finds what no hint announced. */
  readonly listEveryMs: number;
  /** An API server resends a batch for 89 s, then drops it. */
  readonly graceMs: number;
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** Wait between attempts while credentials or rights are missing. */
  readonly blockedMs: number;
}

const defaultHintTimings: HintTimings = {
  listEveryMs: 10 * 60_000,
  graceMs: 2 * 60_000,
  backoffMs: 800,
  backoffMaxMs: 30_000,
  blockedMs: 30_000,
};

/** Reads at the same time. Each is a small list by name. */
const hintedReadsAtOnce = 8;
/** More reads than objects in a page of a list cost more than the list. */
const placesMax = 500;

type Step = { readonly type: "read" } | { readonly type: "list"; readonly why: string };

/**
 * Lists one collection for a handler, then reads what hints point to, until the signal is aborted. It needs no right to watch. A hint costs one
 * read, however often it comes, and decides nothing: the API server's answer is compared as always.
 */
export class HintedReflector<T> implements Stream {
  readonly #options: HintedReflectorOptions<T>;
  readonly #timings: HintTimings;
  readonly #backoff: Backoff;
  readonly #places = new HintedPlaces();
  readonly #unhinted: UnhintedChanges;
  /** `namespace/name` → uid and print of what the handler received last; undefined before the first list. */
  #known: Map<string, string> | undefined;
  #listDueMs = 0;
  #nap: LinkedAbort | undefined;
  #state: StateListener = () => undefined;

  constructor(options: HintedReflectorOptions<T>) {
    this.#options = options;
    this.#timings = { ...defaultHintTimings, ...options.timings };
    const { backoffMs, backoffMaxMs } = this.#timings;
    this.#backoff = new Backoff({ firstMs: backoffMs, maxMs: backoffMaxMs, random: options.random });
    this.#unhinted = new UnhintedChanges(this.#timings.graceMs);
  }

  /** Runs until the signal is aborted. Every failure is logged and retried, so it does not reject. */
  async run(signal: AbortSignal, onState: StateListener): Promise<void> {
    this.#state = onState;
    const subscriptions = this.#subscribe();
    let step: Step = { type: "list", why: "start" };
    try {
      while (!signal.aborted) {
        try {
          step = step.type === "list" ? await this.#list(step.why, signal) : await this.#read(signal);
          this.#backoff.reset();
        } catch (error) {
          if (signal.aborted) break;
          step = await this.#recover(asFault(error), step, signal);
        }
      }
    } finally {
      for (const { stop } of subscriptions) stop();
    }
    this.#state("stopped", "stopped");
  }

  #subscribe() {
    const { collection, hints, alsoHintedBy } = this.#options;
    const { group, plural: resource, namespace } = collection;
    const own = hints.subscribe({ group, resource, namespace }, (hint) => this.#take(hint));
    if (alsoHintedBy === undefined) return [own];
    const others = { group: alsoHintedBy.group, resource: alsoHintedBy.resource, namespace };
    const other = hints.subscribe(others, ({ key, number, at, settle }) => {
      // The hint that anything may have changed reaches both subscriptions, but is one hint for this collection.
      if (at === undefined) settle();
      else this.#take({ key, number, at: { namespace: at.namespace, name: "" }, settle });
    });
    return [own, other];
  }

  #take(hint: TakenHint): void {
    this.#places.add(hint);
    this.#unhinted.hinted(hint);
    this.#nap?.abort();
  }

  async #list(why: string, signal: AbortSignal): Promise<Step> {
    const { clock, random } = this.#options;
    this.#state("listing", why);
    const hints = this.#places.takeAll();
    const listed = await this.#listAll(signal).catch((error: unknown) => {
      for (const hint of hints) this.#places.add(hint);
      throw error;
    });
    this.#compare(listed, hints);
    this.#known = listed;
    for (const { settle } of hints) settle();
    this.#listDueMs = clock.monotonic() + this.#timings.listEveryMs * (0.8 + 0.4 * random());
    this.#state("watching", "in sync");
    return { type: "read" };
  }

  /** Lists for the handler. Resolves to the uid and print of each object. */
  async #listAll(signal: AbortSignal): Promise<Map<string, string>> {
    const { collection, connection, handler, parse } = this.#options;
    const listed = new Map<string, string>();
    handler.listBegins();
    const page = async (items: readonly unknown[]): Promise<void> => {
      for (const item of items) listed.set(keyOf(item), this.#printOf(item));
      await handler.page(items.map(parse).filter((object) => object !== undefined));
    };
    await listCollection(connection, collection, page, signal);
    await handler.listed();
    return listed;
  }

  /** Finds the differences that no hint announced, neither before the list nor while it ran. */
  #compare(listed: ReadonlyMap<string, string>, hints: readonly TakenHint[]): void {
    const known = this.#known;
    if (known === undefined) return;
    const changed = [...listed].filter(([key, print]) => known.get(key) !== print).map(([key]) => key);
    const gone = [...known].filter(([key, print]) => !listed.has(key) && !print.endsWith(deletingPrint));
    const unhinted = [...changed, ...gone.map(([key]) => key)].filter(
      (key) => !this.#places.covers(...partsOf(key)),
    );
    this.#unhinted.found(unhinted, this.#options.clock.monotonic());
    for (const hint of hints) this.#unhinted.hinted(hint);
  }

  async #read(signal: AbortSignal): Promise<Step> {
    const { clock } = this.#options;
    await this.#sleepUntilDue(signal);
    if (signal.aborted) return { type: "read" };
    this.#judge();
    if (this.#places.isAnywhere) return { type: "list", why: "a hint that anything may have changed" };
    if (this.#places.size > placesMax) return { type: "list", why: "many hints" };
    if (clock.monotonic() >= this.#listDueMs) return { type: "list", why: "periodic comparison" };
    const places = this.#places.take(hintedReadsAtOnce);
    try {
      const read = await Promise.all(places.map((place) => this.#readPlace(place, signal)));
      await this.#handOver(read.flat());
    } catch (error) {
      for (const { hints } of places) for (const hint of hints) this.#places.add(hint);
      throw error;
    }
    for (const { hints } of places) for (const { settle } of hints) settle();
    this.#state("watching", "in sync");
    return { type: "read" };
  }

  /** Returns when there is something to read, to list or to judge. */
  async #sleepUntilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (this.#places.size > 0 || this.#places.isAnywhere) return;
    const dueMs = Math.min(this.#listDueMs, this.#unhinted.judgeAtMs ?? this.#listDueMs);
    using nap = linkedAbort(signal);
    this.#nap = nap;
    await clock.sleep(Math.max(0, dueMs - clock.monotonic()), nap.signal).catch(() => undefined);
    this.#nap = undefined;
  }

  #judge(): void {
    const missed = this.#unhinted.judge(this.#options.clock.monotonic());
    if (missed !== undefined) this.#options.onMissed(missed);
  }

  /** A list by name needs no right beyond that of the collection. With its selectors it finds only selected objects. */
  async #readPlace(hinted: HintedPlace, signal: AbortSignal): Promise<readonly ReadObject[]> {
    const { collection, connection } = this.#options;
    const { namespace, name } = hinted;
    const found = new Map<string, unknown>();
    const page = async (items: readonly unknown[]): Promise<void> => {
      for (const item of items) found.set(keyOf(item), item);
    };
    await listCollection(connection, collectionAt(collection, hinted), page, signal);
    const before = name === "" ? this.#knownIn(namespace) : [`${namespace}/${name}`];
    const gone = before.filter((key) => this.#known?.has(key) === true && !found.has(key));
    return [
      ...[...found].map(([key, object]) => ({ key, object })),
      ...gone.map((key) => ({ key, object: undefined })),
    ];
  }

  #knownIn(namespace: string): readonly string[] {
    return [...(this.#known?.keys() ?? [])].filter(
      (key) => partsOf(key)[0] === namespace || namespace === "",
    );
  }

  async #handOver(read: readonly ReadObject[]): Promise<void> {
    const { as, handler, parse } = this.#options;
    const gone = read.filter(({ key, object }) => object === undefined || this.#isAnother(key, object));
    const deleted = gone.flatMap(({ key }) => eventsOf("delete", parse(remainderOf(key))));
    const there = read.flatMap(({ object }) => (object === undefined ? [] : [object]));
    const objects = there.map(parse).filter((object) => object !== undefined);
    const written = as === "event" ? objects.flatMap((object) => eventsOf("upsert", object)) : [];
    if (deleted.length + written.length > 0) await handler.events([...deleted, ...written]);
    if (as === "listed" && objects.length > 0) await handler.page(objects);
    for (const { key, object } of read) {
      if (object === undefined) this.#known?.delete(key);
      else this.#known?.set(key, this.#printOf(object));
    }
  }

  /** It was deleted and created again, so nothing is known about the new one. */
  #isAnother(key: string, object: unknown): boolean {
    const before = this.#known?.get(key);
    return before !== undefined && !before.startsWith(`${text(object, "metadata", "uid")} `);
  }

  #printOf(object: unknown): string {
    const uid = text(object, "metadata", "uid");
    const isDeleting = text(object, "metadata", "deletionTimestamp") !== "";
    return isDeleting ? `${uid}${deletingPrint}` : `${uid} ${this.#options.printOf(object)}`;
  }

  async #recover(fault: Fault, was: Step, signal: AbortSignal): Promise<Step> {
    const { connection, log } = this.#options;
    const isBlocked = fault.class === "denied";
    const ownMs = isBlocked ? this.#timings.blockedMs : this.#backoff.next();
    const waitMs = Math.max(ownMs, fault.retryAfterMs ?? 0);
    const fields = { reason: fault.code, retryInMs: Math.round(waitMs), err: fault.message };
    log.warn(fields, isBlocked ? "reading refused" : "reading interrupted");
    const state: StreamState = isBlocked ? "blocked" : "backoff";
    this.#state(state, fault.message);
    await connection.backOffs.wait(waitMs, signal);
    const isLost = fault.code === "kube.expired" || fault.code === "kube.malformed";
    return isLost ? { type: "list", why: fault.message } : was;
  }
}

/** The print of an object that is being deleted. Nothing announces its end: a namespace ends with its finalizers, which are a subresource. */
const deletingPrint = " deleting";

/** The part of a collection that a hint points to. */
function collectionAt(collection: Collection, { namespace, name }: HintedPlace): Collection {
  const named = name === "" ? "" : `metadata.name=${name}`;
  const selectors = [named, collection.fieldSelector ?? ""].filter((one) => one !== "");
  return {
    ...collection,
    namespace: namespace === "" ? collection.namespace : namespace,
    fieldSelector: selectors.length === 0 ? undefined : selectors.join(","),
  };
}
