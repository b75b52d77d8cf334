import { asFault } from "@fleet-reloader/domain/fault";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../../async/clock.ts";
import { Drain } from "../../async/drain.ts";
import type { Log } from "../../ports/log.ts";
import type { SourceVersion } from "../../ports/reference-index.ts";

/** The latest version of a source that was kept back. */
export interface ThrottledSource {
  readonly source: SourceVersion;
  /** The number of versions that were kept back, this one included. */
  readonly count: number;
}

export interface SourceThrottleOptions {
  /** Publishes the sources and throttles each of them again. After a rejection it is called again with the same sources. */
  readonly publish: (due: readonly ThrottledSource[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * How often kept-back sources are published, all of them together. No dependent is delayed by this, and a storm over many sources costs a
 * few calls.
 */
const tickMs = 100;
/** The wait after a failed publish. */
const retryMs = 1000;

/**
 * Keeps back new versions of sources that were published a moment ago. Their dependents wait for a quiet period, so it is enough to
 * publish the latest version while they still wait. The throttle is in memory only: a watcher that takes over compares all sources
 * anyway.
 */
export class SourceThrottle {
  readonly #options: SourceThrottleOptions;
  /** Until when each source is throttled; monotonic. */
  readonly #throttled = new Map<string, number>();
  readonly #kept = new Map<string, ThrottledSource>();
  readonly #drain: Drain;

  constructor(options: SourceThrottleOptions) {
    this.#options = options;
    const { clock, signal } = options;
    this.#drain = new Drain({
      hasMore: () => this.#kept.size > 0 && !signal.aborted,
      gather: () => clock.sleep(tickMs, signal).catch(() => undefined),
      flush: () => this.#publishDue(),
    });
  }

  /** Keeps back the sources that are throttled or about to be published, and returns the others. */
  admitted(sources: readonly SourceVersion[]): readonly SourceVersion[] {
    const now = this.#options.clock.monotonic();
    return sources.filter((source) => {
      const key = sourceKey(source.ref);
      const kept = this.#kept.get(key);
      if (kept === undefined && (this.#throttled.get(key) ?? 0) <= now) return true;
      this.#kept.set(key, { source, count: (kept?.count ?? 0) + 1 });
      this.#drain.begin();
      return false;
    });
  }

  /** The source was published. Its versions of the next `forMs` are kept back. */
  throttle(source: SourceRef, forMs: number): void {
    const now = this.#options.clock.monotonic();
    const key = sourceKey(source);
    this.#throttled.delete(key);
    if (forMs > 0) this.#throttled.set(key, now + forMs);
    // The map is nearly in the order in which throttles end.
    for (const [each, untilMs] of this.#throttled) {
      if (untilMs > now) break;
      this.#throttled.delete(each);
    }
  }

  /** The number of throttles in memory. */
  get throttled(): number {
    return this.#throttled.size;
  }

  /** Discards the kept-back versions of these sources: they are published in another way, or obsolete. Returns the number of versions. */
  drop(sources: readonly SourceRef[]): number {
    const keys = sources.map(sourceKey);
    const dropped = keys.reduce((sum, key) => sum + (this.#kept.get(key)?.count ?? 0), 0);
    for (const key of keys) this.#kept.delete(key);
    return dropped;
  }

  /** Resolves when nothing is being published; the signal has to be aborted for that. */
  async ended(): Promise<void> {
    await this.#drain.finish();
  }

  async #publishDue(): Promise<void> {
    const { clock, log, publish, signal } = this.#options;
    if (signal.aborted) return;
    const now = clock.monotonic();
    const due = [...this.#kept].filter(([key]) => (this.#throttled.get(key) ?? 0) <= now);
    if (due.length === 0) return;
    // Versions that come meanwhile are kept back, because two publishes of one source could overtake each other.
    for (const [key] of due) this.#throttled.set(key, Number.POSITIVE_INFINITY);
    try {
      await publish(due.map(([, throttled]) => throttled));
      for (const [key, kept] of due) if (this.#kept.get(key) === kept) this.#kept.delete(key);
    } catch (error) {
      log.debug({ reason: asFault(error).code }, "changed sources were not published; publishing is retried");
      for (const [key] of due) this.#throttled.set(key, clock.monotonic() + retryMs);
    }
  }
}
