import { asFault } from "@fleet-reloader/domain/fault";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../async/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SourceVersion } from "../ports/reference-index.ts";

/** The latest of a source that came while it rested. */
export interface ThrottledSource {
  readonly source: SourceVersion;
  /** So many versions have come meanwhile, this one included. */
  readonly count: number;
}

export interface SourceThrottleOptions {
  /** Tells of them, and says how long each rests then. Called again with those of a rejection. */
  readonly tell: (rested: readonly ThrottledSource[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What has rested is told together so often: no dependent notices, and a storm over many sources is a few calls. */
const tickMs = 100;
/** When it could not be told. */
const retryMs = 1000;

/**
 * Sources that were told of a moment ago. Their dependents wait for them to be quiet, so what comes of them meanwhile need not be told one
 * by one: the latest is, while those still wait. It is kept in memory alone: whoever takes over compares anyway.
 */
export class SourceThrottle {
  readonly #options: SourceThrottleOptions;
  /** Until when each rests; monotonic. */
  readonly #throttled = new Map<string, number>();
  readonly #kept = new Map<string, ThrottledSource>();
  #webhookMode: Promise<void> | undefined;

  constructor(options: SourceThrottleOptions) {
    this.#options = options;
  }

  /** Keeps back those that rest, or are about to be told of, and returns the others. */
  admitted(sources: readonly SourceVersion[]): readonly SourceVersion[] {
    const now = this.#options.clock.monotonic();
    return sources.filter((source) => {
      const key = sourceKey(source.ref);
      const kept = this.#kept.get(key);
      if (kept === undefined && (this.#throttled.get(key) ?? 0) <= now) return true;
      this.#kept.set(key, { source, count: (kept?.count ?? 0) + 1 });
      this.#webhookMode ??= this.#tellLater();
      return false;
    });
  }

  /** It was told of: what comes within this time is kept back. */
  throttle(source: SourceRef, forMs: number): void {
    const now = this.#options.clock.monotonic();
    const key = sourceKey(source);
    this.#throttled.delete(key);
    if (forMs > 0) this.#throttled.set(key, now + forMs);
    // Those that began first are over first, nearly.
    for (const [each, untilMs] of this.#throttled) {
      if (untilMs > now) break;
      this.#throttled.delete(each);
    }
  }

  /** How many rests are remembered. */
  get throttled(): number {
    return this.#throttled.size;
  }

  /** What was kept back of these is told in another way, or over. Answers how many versions that were. */
  drop(sources: readonly SourceRef[]): number {
    const keys = sources.map(sourceKey);
    const dropped = keys.reduce((sum, key) => sum + (this.#kept.get(key)?.count ?? 0), 0);
    for (const key of keys) this.#kept.delete(key);
    return dropped;
  }

  /** Resolves when nothing is being told; the signal has to be aborted for that. */
  async ended(): Promise<void> {
    await this.#webhookMode;
  }

  async #tellLater(): Promise<void> {
    const { clock, signal } = this.#options;
    while (this.#kept.size > 0 && !signal.aborted) {
      await clock.sleep(tickMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.#tellDue();
    }
    // At once: whatever is kept back from now on has to begin anew.
    this.#webhookMode = undefined;
  }

  async #tellDue(): Promise<void> {
    const { clock, log, tell } = this.#options;
    const now = clock.monotonic();
    const due = [...this.#kept].filter(([key]) => (this.#throttled.get(key) ?? 0) <= now);
    if (due.length === 0) return;
    // What comes of them meanwhile is kept back: two who tell of the same could overtake each other.
    for (const [key] of due) this.#throttled.set(key, Number.POSITIVE_INFINITY);
    try {
      await tell(due.map(([, rested]) => rested));
      for (const [key, kept] of due) if (this.#kept.get(key) === kept) this.#kept.delete(key);
    } catch (error) {
      log.debug({ reason: asFault(error).code }, "changed sources could not be told of; once more");
      for (const [key] of due) this.#throttled.set(key, clock.monotonic() + retryMs);
    }
  }
}
