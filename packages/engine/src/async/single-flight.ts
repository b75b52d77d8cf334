import { RecentMap } from "../recent-map.ts";
import type { Clock } from "./clock.ts";

/** A read that has not begun. */
interface JointRead<V> {
  readonly load: () => Promise<V>;
  readonly result: PromiseWithResolvers<V>;
  /** How many wait for it. */
  askers: number;
  /** Ends the wait for more of them. */
  readonly full: AbortController;
}

/** One for each key that is being read, or is about to be. */
interface Slot<V> {
  next: JointRead<V> | undefined;
}

/** The last read of a key. */
interface LastRead {
  readonly beganAtMs: number;
  readonly askers: number;
  tookMs: number;
}

/**
 * How far apart the reads of one key begin, so that each serves more of those who ask: a multiple of the time that the last one took, times
 * the number of those it served. Where nobody shares reads they are hardly spaced; where a crowd asks, each waits for more.
 */
export interface ReadSpacing {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly times: number;
  /** At most so far, in milliseconds. */
  readonly mostMs: number;
  /** So many who wait for a read are enough for it to begin. */
  readonly enough: number;
}

/** Keys whose last read is remembered. One whose read is forgotten is read at once. */
const rememberedMax = 2000;
/** A reason of our own: without one each abort makes an error with a stack. */
const enoughWait = Symbol("enough wait for this read");

/**
 * Shares reads without giving up freshness: whoever asks gets the result of a read that began after the question. All who
 * ask while one read is under way share the next, so a thousand workloads of one source cost a handful of reads.
 * With spacing the next one waits for more of them, too.
 */
export class SingleFlight<V> {
  readonly #slots = new Map<string, Slot<V>>();
  readonly #lastReads = new RecentMap<string, LastRead>(rememberedMax);
  readonly #spacing: ReadSpacing | undefined;

  constructor(spacing?: ReadSpacing) {
    this.#spacing = spacing;
  }

  read(key: string, load: () => Promise<V>): Promise<V> {
    const slot = this.#slots.get(key);
    if (slot === undefined && this.#turnInMs(key) <= 0) return this.#begin(key, load, 1);
    const joint = slot?.next ?? jointRead(load);
    joint.askers += 1;
    if (slot !== undefined) slot.next = joint;
    else void this.#beginInTurn(key, joint);
    if (this.#isFull(joint)) joint.full.abort(enoughWait);
    return joint.result.promise;
  }

  #isFull({ askers }: JointRead<V>): boolean {
    return askers >= (this.#spacing?.enough ?? 1);
  }

  /** How long until the key may be read again. */
  #turnInMs(key: string): number {
    const last = this.#lastReads.get(key);
    if (this.#spacing === undefined || last === undefined) return 0;
    const { clock, times, mostMs } = this.#spacing;
    const apartMs = Math.min(mostMs, times * last.tookMs * last.askers);
    return last.beganAtMs + apartMs - clock.monotonic();
  }

  /** Everybody who asks before the read begins shares it. */
  async #beginInTurn(key: string, joint: JointRead<V>): Promise<void> {
    const waitMs = this.#turnInMs(key);
    if (waitMs > 0 && !this.#isFull(joint)) {
      this.#slots.set(key, { next: joint });
      await this.#spacing?.clock.sleep(waitMs, joint.full.signal).catch(() => undefined);
    }
    const { load, askers, result } = joint;
    this.#begin(key, load, askers).then(result.resolve, result.reject);
  }

  #begin(key: string, load: () => Promise<V>, askers: number): Promise<V> {
    const slot: Slot<V> = { next: undefined };
    this.#slots.set(key, slot);
    const ended = this.#timed(key, askers);
    // Inside an async function, so that a load that throws at once ends its slot like any other.
    const loading = (async () => await load())();
    return loading.finally(() => {
      ended();
      this.#slots.delete(key);
      if (slot.next !== undefined) void this.#beginInTurn(key, slot.next);
    });
  }

  /** Notes that a read begins. What it returns is to be called when the read ends. */
  #timed(key: string, askers: number): () => void {
    if (this.#spacing === undefined) return () => undefined;
    const { clock } = this.#spacing;
    const last: LastRead = { beganAtMs: clock.monotonic(), askers, tookMs: 0 };
    this.#lastReads.set(key, last);
    return () => {
      last.tookMs = clock.monotonic() - last.beganAtMs;
    };
  }
}

function jointRead<V>(load: () => Promise<V>): JointRead<V> {
  return { load, result: Promise.withResolvers<V>(), askers: 0, full: new AbortController() };
}
