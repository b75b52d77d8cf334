import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { Drain } from "@fleet-reloader/engine/async/drain";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Channel, Meter } from "@fleet-reloader/engine/ports/meter";

/** One message: about one item, or a digest of many. */
export type Letter<T> =
  | { readonly type: "single"; readonly item: T }
  | { readonly type: "digest"; readonly digest: Digest<T> };

/** Items that came too fast to be sent one by one. All are counted, and the first ones are kept. */
export interface Digest<T> {
  readonly count: number;
  /** The number of urgent items. They come first in `first`. */
  readonly urgentCount: number;
  /** The number of items by type. */
  readonly counts: ReadonlyMap<string, number>;
  readonly first: readonly T[];
}

export interface OutboxOptions<T> {
  readonly channel: Channel;
  readonly send: (letter: Letter<T>, signal: AbortSignal) => Promise<void>;
  readonly isUrgent: (item: T) => boolean;
  readonly typeOf: (item: T) => string;
  /**
   * Called when the outbox is done with a letter: delivered or refused (`isAnswered`), or given up. Not called for letters that are dropped at
   * the end.
   */
  readonly onEnd?: (letter: Letter<T>, isAnswered: boolean) => void;
  /** Maximum items sent one by one within a window. Further ones go into one digest at its end. */
  readonly singlesMax: number;
  readonly windowMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

/** Maximum items that wait for a slow receiver. Further ones go into the digest. */
const lettersMax = 100;
/** Maximum items listed in a digest: as many as a person reads. */
const listedMax = 5;
const postAttemptsMax = 4;
/** Pauses between attempts: 1 s, 4 s, 16 s, with jitter. */
const postPauseMs = 1000;
const pauseFactor = 4;

/**
 * Takes a report and returns at once. Sends in the background, one letter after another, with few attempts and growing pauses. Its memory is
 * bounded, however many items come and however slow the receiver is: excess items are only counted.
 */
export class Outbox<T> {
  readonly #options: OutboxOptions<T>;
  readonly #lifetime = new AbortController();
  readonly #waiting: T[] = [];
  readonly #drain: Drain;
  #folded = noDigest<T>();
  #window = { beganMs: Number.NEGATIVE_INFINITY, singles: 0 };
  #isFailing = false;

  constructor(options: OutboxOptions<T>) {
    this.#options = options;
    this.#drain = new Drain({
      hasMore: () => !this.#lifetime.signal.aborted && this.#waiting.length + this.#folded.count > 0,
      flush: (hurry) => this.#sendNext(hurry),
    });
  }

  put(item: T): void {
    if (this.#lifetime.signal.aborted) this.#count("dropped", 1);
    else if (this.#folded.count === 0 && this.#mayBeSingle()) this.#waiting.push(item);
    else {
      const { isUrgent, typeOf } = this.#options;
      this.#folded = fold(this.#folded, item, { isUrgent, typeOf });
      this.#count("folded", 1);
    }
    this.#drain.begin();
  }

  /** Sends what is queued without waiting for more, for at most this long. */
  async stop(graceMs: number): Promise<void> {
    await atMost(graceMs, this.#options.clock, this.#drain.finish());
    this.#lifetime.abort();
    this.#count("dropped", this.#waiting.length + this.#folded.count);
  }

  #mayBeSingle(): boolean {
    const { clock, windowMs, singlesMax } = this.#options;
    const now = clock.monotonic();
    if (now - this.#window.beganMs >= windowMs) this.#window = { beganMs: now, singles: 0 };
    if (this.#window.singles >= singlesMax || this.#waiting.length >= lettersMax) return false;
    this.#window.singles += 1;
    return true;
  }

  async #sendNext(hurry: AbortSignal): Promise<void> {
    const item = this.#waiting.shift();
    if (item === undefined) await this.#sendDigest(hurry);
    else await this.#send({ type: "single", item }, hurry);
  }

  async #sendDigest(hurry: AbortSignal): Promise<void> {
    const { clock, windowMs } = this.#options;
    const wait = this.#window.beganMs + windowMs - clock.monotonic();
    if (wait > 0) await clock.sleep(wait, hurry).catch(() => undefined);
    const digest = this.#folded;
    this.#folded = noDigest();
    // A digest counts as the first letter of the window that begins now.
    this.#window = { beganMs: clock.monotonic(), singles: 1 };
    await this.#send({ type: "digest", digest }, hurry);
  }

  async #send(letter: Letter<T>, hurry: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#options.send(letter, this.#lifetime.signal);
        this.#count("sent", 1);
        this.#recovered();
        return this.#options.onEnd?.(letter, true);
      } catch (error) {
        const fault = asFault(error);
        const isLast = attempt === postAttemptsMax || fault.code === "notify.rejected" || hurry.aborted;
        if (isLast) {
          this.#lost(fault);
          return this.#options.onEnd?.(letter, fault.code === "notify.rejected");
        }
        const pause = Math.max(fault.retryAfterMs ?? 0, postPauseMs * pauseFactor ** (attempt - 1));
        await this.#options.clock.sleep(pause * (0.5 + this.#options.random()), hurry).catch(() => undefined);
      }
    }
  }

  /** Warns when failures begin, not at each failure. */
  #lost(fault: Fault): void {
    const { channel, log } = this.#options;
    this.#count("failed", 1);
    const fields = { channel, reason: fault.code, err: fault.message };
    if (this.#isFailing) log.debug(fields, "a notification was not delivered");
    else log.warn(fields, "notifications are not delivered; workloads are rolled all the same");
    this.#isFailing = true;
  }

  #recovered(): void {
    if (this.#isFailing)
      this.#options.log.info({ channel: this.#options.channel }, "notifications are delivered again");
    this.#isFailing = false;
  }

  #count(result: "sent" | "folded" | "dropped" | "failed", count: number): void {
    if (count > 0) this.#options.meter.notified(this.#options.channel, result, count);
  }
}

function noDigest<T>(): Digest<T> {
  return { count: 0, urgentCount: 0, counts: new Map(), first: [] };
}

/** Adds one item to a digest. Urgent items come before the others and push them out of the list. */
function fold<T>(
  digest: Digest<T>,
  item: T,
  { isUrgent, typeOf }: Pick<OutboxOptions<T>, "isUrgent" | "typeOf">,
): Digest<T> {
  const urgent = digest.first.filter(isUrgent);
  const others = digest.first.filter((one) => !isUrgent(one));
  const first = isUrgent(item) ? [...urgent, item, ...others] : [...digest.first, item];
  return {
    count: digest.count + 1,
    urgentCount: digest.urgentCount + (isUrgent(item) ? 1 : 0),
    counts: new Map(digest.counts).set(typeOf(item), (digest.counts.get(typeOf(item)) ?? 0) + 1),
    first: first.slice(0, listedMax),
  };
}
