import process from "node:process";
import type { Clock } from "@fleet-reloader/engine/async/clock";

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
  readonly abort: () => void;
}

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  #wallMs: number;
  readonly #sleepers = new Set<Sleeper>();
  readonly #ended = new WeakMap<AbortSignal, Set<Sleeper>>();
  readonly #settled: () => Promise<void>;

  constructor(startMs = Date.UTC(2026, 0, 1), whenSettled = settled) {
    this.#wallMs = startMs;
    this.#settled = whenSettled;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const ends = this.#endedBy(signal);
      const end = (settle: () => void) => {
        ends.delete(sleeper);
        this.#sleepers.delete(sleeper);
        settle();
      };
      const dueMs = this.#elapsedMs + Math.max(0, ms);
      const sleeper: Sleeper = {
        dueMs,
        wake: () => end(resolve),
        abort: () => end(() => reject(signal.reason)),
      };
      ends.add(sleeper);
      this.#sleepers.add(sleeper);
    });
  }

  /** Those that a signal ends. It is listened to once: to begin and to stop costs more than all else of a sleep. */
  #endedBy(signal: AbortSignal): Set<Sleeper> {
    const known = this.#ended.get(signal);
    if (known !== undefined) return known;
    const ended = new Set<Sleeper>();
    this.#ended.set(signal, ended);
    const abort = () => {
      for (const { abort } of ended) abort();
    };
    signal.addEventListener("abort", abort, { once: true });
    return ended;
  }

  /**
   * Lets this much time pass. Whoever wakes up meanwhile acts at their own moment, also when they sleep again. `isSettled`: nothing has
   * happened since all settled.
   */
  async advance(ms: number, isSettled = false): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    if (!isSettled) await this.#settled();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.dueMs > untilMs) break;
      this.#moveTo(Math.max(next.dueMs, this.#elapsedMs));
      next.wake();
      await this.#settled();
    }
    // Nobody has woken up since all settled.
    this.#moveTo(untilMs);
  }

  /** Somebody sets the wall clock; no time passes. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  /** How many wait for time to pass. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Of those that are due first the one that has slept longest. */
  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (next === undefined || sleeper.dueMs < next.dueMs) next = sleeper;
    return next;
  }

  #moveTo(elapsedMs: number): void {
    this.#wallMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }
}

/** Everything that can go on without time passing or the outside world answering has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same for worlds in which nothing but promises is waited for: it gives no turn to the event loop, which costs more. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
