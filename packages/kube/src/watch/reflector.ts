import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { StateListener, StreamHandler, StreamState } from "@fleet-reloader/engine/ports/source-stream";
import { Backoff } from "../backoff.ts";
import type { RevisionProbe } from "../discovery/revision-probe.ts";
import type { Connection } from "../http/connection.ts";
import { accept, type Collection } from "../resource.ts";
import { collectionPath, listCollection } from "./list-collection.ts";
import { ListSchedule, type ListTimings } from "./list-schedule.ts";
import { WatchReader } from "./watch-reader.ts";

export interface ReflectorOptions<T> {
  readonly connection: Connection;
  readonly collection: Collection;
  /** Reads what the handler needs of an object; undefined leaves the object out. */
  readonly parse: (object: unknown) => T | undefined;
  readonly handler: StreamHandler<T>;
  /** Shared by all watches of one connection. */
  readonly probe: RevisionProbe;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings> | undefined;
}

export interface ReflectorTimings extends ListTimings {
  /** The first back-off, and the largest one. */
  readonly backoffMs: number;
  readonly backoffMaxMs: number;
  /** Wait between attempts while credentials or rights are missing. */
  readonly blockedMs: number;
}

const defaultTimings: ReflectorTimings = {
  relistEveryMs: 30 * 60_000,
  silentMs: 3 * 60_000,
  backoffMs: 800,
  backoffMaxMs: 30_000,
  blockedMs: 30_000,
};

/** One watch request. */
interface OpenedWatch {
  readonly atMs: number;
  sawAny: boolean;
  wentBack: boolean;
}

type Next = { readonly type: "watch" } | { readonly type: "list"; readonly why: string };

/**
 * Lists and watches one collection for a handler: pages of a consistent list, then every event, until the signal is aborted.
 * An event may come twice, but none is lost: the resume point moves only after the handler has resolved, an unreadable line
 * or an expired version leads to a list, and an error is never an empty result.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  readonly #timings: ReflectorTimings;
  readonly #backoff: Backoff;
  readonly #schedule: ListSchedule;
  #onState: StateListener = () => undefined;
  #said: StreamState = "idle";
  #resourceVersion = "";
  /** The faults since the last event, by code: each is reported once, however often it is tried again. */
  readonly #reported = new Set<string>();

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timings = { ...defaultTimings, ...options.timings };
    this.#backoff = new Backoff({
      firstMs: this.#timings.backoffMs,
      maxMs: this.#timings.backoffMaxMs,
      random: options.random,
    });
    this.#schedule = new ListSchedule(this.#timings);
  }

  /** Runs until the signal is aborted. Every failure is logged and retried, so it does not reject. */
  async run(signal: AbortSignal, onState: StateListener): Promise<void> {
    this.#onState = onState;
    let next: Next = { type: "list", why: "start" };
    while (!signal.aborted) {
      try {
        next = next.type === "list" ? await this.#list(next.why, signal) : await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) break;
        next = await this.#recover(asFault(error), next, signal);
      }
    }
    this.#state("stopped", "stopped");
  }

  async #list(why: string, signal: AbortSignal): Promise<Next> {
    const { collection, handler, parse, connection } = this.#options;
    this.#state("listing", why);
    handler.listBegins();
    const page = (items: readonly unknown[]) =>
      handler.page(items.map(parse).filter((item) => item !== undefined));
    this.#resourceVersion = await listCollection(connection, collection, page, signal);
    await handler.listed();
    this.#schedule.listed(this.#options.clock.monotonic());
    this.#state("watching", "in sync");
    return { type: "watch" };
  }

  async #watch(signal: AbortSignal): Promise<Next> {
    const opened: OpenedWatch = { atMs: this.#options.clock.monotonic(), sawAny: false, wentBack: false };
    const probed = this.#options.probe.add({
      path: this.#path({ limit: "1" }),
      seen: () => this.#resourceVersion,
      wentBack: () => {
        opened.wentBack = true;
      },
    });
    try {
      return await this.#follow(opened, signal);
    } finally {
      probed();
    }
  }

  /** Passes events on until the watch ends. Resolves to what comes next. */
  async #follow(opened: OpenedWatch, signal: AbortSignal): Promise<Next> {
    const { clock, handler, parse } = this.#options;
    const reader = new WatchReader(parse);
    for await (const chunk of this.#stream(signal)) {
      this.#schedule.delivered(clock.monotonic());
      const batch = reader.read(chunk);
      if (batch.events.length > 0) await handler.events(batch.events);
      if (batch.resourceVersion !== undefined) {
        opened.sawAny = true;
        this.#backoff.reset();
        this.#reported.clear();
        this.#resourceVersion = batch.resourceVersion;
      }
      if (batch.end === undefined) continue;
      const next = this.#ended(batch.end);
      await this.#breathe(opened, true, signal);
      return next;
    }
    if (opened.wentBack) return { type: "list", why: "the server's revision went back" };
    await this.#breathe(opened, reader.hasUnfinishedLine, signal);
    if (reader.hasUnfinishedLine) return { type: "list", why: "the watch was cut in the middle of a line" };
    return this.#listIfDue();
  }

  #stream(signal: AbortSignal): AsyncGenerator<Buffer> {
    const { collection, connection, random } = this.#options;
    const path = this.#path({
      watch: "1",
      allowWatchBookmarks: "true",
      resourceVersion: this.#resourceVersion,
      // A random 5–10 minutes, as in client-go, so that a fleet of watches does not reconnect at the same time.
      timeoutSeconds: String(300 + Math.floor(random() * 300)),
    });
    const accepted = collection.metadataOnly ? accept.metadata : accept.json;
    // A watch that follows an orderly ended one was in sync all along.
    const opened = () => {
      if (this.#said !== "watching") this.#state("watching", "in sync");
    };
    return connection.stream({ method: "GET", path, accept: accepted }, signal, opened);
  }

  #state(state: StreamState, why: string): void {
    this.#said = state;
    this.#onState(state, why);
  }

  /** Without this pause a server that ends each watch at once would get 2,500 requests a second, some of them lists. */
  async #breathe({ atMs, sawAny }: OpenedWatch, isCutShort: boolean, signal: AbortSignal): Promise<void> {
    if ((isCutShort || !sawAny) && this.#options.clock.monotonic() - atMs < 1000)
      await this.#pause(this.#backoff.next(), "watch ended at once", signal);
  }

  /** Each watch ends after some minutes, in good order or by a fault, which is often enough to check this. */
  #listIfDue(): Next {
    const { clock, connection } = this.#options;
    const why = this.#schedule.due(clock.monotonic(), connection.heardAt);
    return why === undefined ? { type: "watch" } : { type: "list", why };
  }

  #ended(end: Fault): Next {
    if (end.code === "kube.expired") return { type: "list", why: end.message };
    throw end;
  }

  async #recover(fault: Fault, was: Next, signal: AbortSignal): Promise<Next> {
    const isBlocked = fault.class === "denied";
    const waitMs = Math.max(
      isBlocked ? this.#timings.blockedMs : this.#backoff.next(),
      fault.retryAfterMs ?? 0,
    );
    const level = this.#reported.has(fault.code) ? "debug" : "warn";
    this.#reported.add(fault.code);
    this.#options.log[level](
      { reason: fault.code, retryInMs: Math.round(waitMs), err: fault.message },
      isBlocked ? "watch refused" : "watch interrupted",
    );
    await this.#pause(waitMs, fault.message, signal, isBlocked ? "blocked" : "backoff");
    // After an unreadable line no later event can be trusted, and the same line would come again.
    const isLost = fault.code === "kube.expired" || fault.code === "kube.malformed";
    return isLost || was.type === "list" ? { type: "list", why: fault.message } : this.#listIfDue();
  }

  async #pause(ms: number, why: string, signal: AbortSignal, state: StreamState = "backoff"): Promise<void> {
    this.#state(state, why);
    // Aborted while waiting: the loop of run() sees the signal.
    await this.#options.connection.backOffs.wait(ms, signal);
  }

  #path(query: Readonly<Record<string, string>>): string {
    return collectionPath(this.#options.collection, query);
  }
}
