import type { Clock } from "./clock.ts";
import { RecentMap } from "./recent-map.ts";

/** A read that has not begun. */
interface JointRead<V> {
  readonly load: () => Promise<V>;
  readonly result: PromiseWithResolvers<V>;
  /** How many callers wait for it. */
  askers: number;
  /** Monotonic: the earliest time at which one of them no longer waits for further callers. */
  untilMs: number;
  /** Ends the wait for further callers, so that the wait is computed again. */
  wake: AbortController;
}

/** The state of a key that is being read, or is about to be. */
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
 * How far apart the reads of one key begin, so that each serves more callers: `times` × the duration of the last read × the number of its
 * callers. Where callers do not share reads the spacing is small; where many ask, each waits for more.
 */
export interface ReadSpacing {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly times: number;
  /** The largest spacing, in milliseconds. */
  readonly mostMs: number;
  /** A read begins as soon as this many callers wait for it. */
  readonly enough: number;
}

/** Keys whose last read is remembered. A key whose last read is forgotten is read at once. */
const lastReadsMax = 2000;
/** An abort reason of our own: without one each abort creates an error with a stack. */
const wakeReason = Symbol("this read may begin earlier");
/** For a read that waits for no further callers. */
const atOnceMs = Number.NEGATIVE_INFINITY;

/**
 * Shares reads without giving up freshness: each caller gets the result of a read that began after the call. All callers during one read
 * share the next one, so a thousand workloads of one source cost a handful of reads. With spacing the next read also waits for further
 * callers, until the earliest time that one of them names.
 */
export class SingleFlight<V> {
  readonly #slots = new Map<string, Slot<V>>();
  readonly #lastReads = new RecentMap<string, LastRead>(lastReadsMax);
  readonly #spacing: ReadSpacing | undefined;

  constructor(spacing?: ReadSpacing) {
    this.#spacing = spacing;
  }

  /** `untilMs`, monotonic: how long this call may wait for others. Without it the read begins as soon as the one under way ends. */
  read(key: string, load: () => Promise<V>, untilMs = atOnceMs): Promise<V> {
    const slot = this.#slots.get(key);
    if (slot === undefined && this.#waitMs(key, { askers: 1, untilMs }) <= 0)
      return this.#begin(key, load, 1);
    const known = slot?.next;
    const joint = known ?? jointRead(load);
    const isSooner = untilMs < joint.untilMs;
    joint.askers += 1;
    joint.untilMs = Math.min(joint.untilMs, untilMs);
    if (known !== undefined && (isSooner || this.#isFull(joint))) lookAgain(joint);
    else if (slot !== undefined) slot.next = joint;
    else void this.#beginInTurn(key, joint);
    return joint.result.promise;
  }

  #isFull({ askers }: Pick<JointRead<V>, "askers">): boolean {
    return askers >= (this.#spacing?.enough ?? 1);
  }

  /** How long a joint read of the key still waits for further callers. */
  #waitMs(key: string, joint: Pick<JointRead<V>, "askers" | "untilMs">): number {
    if (this.#spacing === undefined || this.#isFull(joint)) return 0;
    return Math.min(this.#turnInMs(key), joint.untilMs - this.#spacing.clock.monotonic());
  }

  /** How long until the key may be read again. */
  #turnInMs(key: string): number {
    const last = this.#lastReads.get(key);
    if (this.#spacing === undefined || last === undefined) return 0;
    const { clock, times, mostMs } = this.#spacing;
    const apartMs = Math.min(mostMs, times * last.tookMs * last.askers);
    return last.beganAtMs + apartMs - clock.monotonic();
  }

  /** Every caller that comes before the read begins shares it. */
  async #beginInTurn(key: string, joint: JointRead<V>): Promise<void> {
    this.#slots.set(key, { next: joint });
    for (let waitMs = this.#waitMs(key, joint); waitMs > 0; waitMs = this.#waitMs(key, joint))
      await this.#spacing?.clock.sleep(waitMs, joint.wake.signal).catch(() => undefined);
    const { load, askers, result } = joint;
    this.#begin(key, load, askers).then(result.resolve, result.reject);
  }

  #begin(key: string, load: () => Promise<V>, askers: number): Promise<V> {
    const slot: Slot<V> = { next: undefined };
    this.#slots.set(key, slot);
    const ended = this.#timed(key, askers);
    // Inside an async function, so that a load that throws synchronously ends its slot like any other.
    const loading = (async () => await load())();
    return loading.finally(() => {
      ended();
      this.#slots.delete(key);
      if (slot.next !== undefined) void this.#beginInTurn(key, slot.next);
    });
  }

  /** Notes that a read begins. Call the returned function when the read ends. */
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
  return {
    load,
    result: Promise.withResolvers<V>(),
    askers: 0,
    untilMs: Number.POSITIVE_INFINITY,
    wake: new AbortController(),
  };
}

function lookAgain(joint: Pick<JointRead<unknown>, "wake">): void {
  const { wake } = joint;
  joint.wake = new AbortController();
  wake.abort(wakeReason);
}
