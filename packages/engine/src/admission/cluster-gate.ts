import {
  afterOutcome,
  askCircuit,
  type BreakerOutcome,
  type ClusterBreaker,
  closedCircuit,
  tryAtOnce,
} from "@fleet-reloader/domain/cluster/breaker";
import type { ParkReason } from "@fleet-reloader/domain/cluster/park-reason";
import type { Clock, Random } from "../async/clock.ts";
import type { Meter } from "../ports/meter.ts";
import type { ClusterId } from "../ports/request.ts";

/** What is known of a cluster outside: `unknown` is one that is not engaged here, now or ever. */
export type Reach = "reachable" | "unreachable" | "unknown";

export type Admission =
  | { readonly type: "in"; leave(outcome: BreakerOutcome): void }
  | { readonly type: "parked"; readonly afterMs: number; readonly reason: ParkReason };

export interface ClusterGateOptions {
  /** Requests that this process handles at once. */
  readonly slots: number;
  readonly reachOf: (cluster: ClusterId) => Reach;
  readonly nameOf: (cluster: ClusterId) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Pick<Meter, "parked" | "breaker">;
}

interface Waiter {
  /** Monotonic: until when it waits. */
  readonly untilMs: number;
  readonly enter: () => void;
  /** Waits no longer, and has no slot. */
  readonly leave: () => void;
}

interface Gated {
  breaker: ClusterBreaker;
  inFlight: number;
  /** So many at once, as far as it has shown that it answers. */
  window: number;
  /** Monotonic, milliseconds: since when nothing of what is under way has come to an end. */
  finishedAtMs: number;
  /** How long its requests take of late; 0 before the first. */
  usualMs: number;
  readonly waiting: Set<Waiter>;
  /** When the last of the parked requests comes back. */
  parkedUntilMs: number;
  wasUnreachable: boolean;
}

/** A storm of a healthy cluster waits here for its next slot, which is cheaper than to go back to the queue. */
const waitMaxMs = 2000;
/** A cluster with requests under way and none finished for this long looks hung: nobody waits for it, and nobody enters. */
const hungMs = 250;
/** One that is far away takes its time and is as healthy as any: so many times as long as usual, and no longer than this. */
const hungTimes = 3;
const hungMaxMs = 2000;
/** How much of the usual time is that of the latest request. */
const usualShare = 0.2;
/** How often those who wait are looked after: just after their cluster could have begun to look hung. */
const lookMs = hungMs + 1;
/**
 * What a cluster may have under way before it has answered anything: one more with each answer, as a TCP window opens. Twenty that
 * hang at once take forty slots by that, and not all there are.
 */
const windowFirst = 2;
/** Whoever has been idle for this long has to show again that it answers. */
const windowIdleMs = 1000;
/** Parked for want of a slot; a semaphore that is full is asked again after 200–500 ms. */
const busyMs = 400;
/** Parked because its cluster looks hung: until what is under way there has run into its deadline, or has been answered. */
const hungRestMs = 3000;
/** As long as the fleet cannot reach a cluster, or does not know it, it is asked this often. */
const awayMs = 5000;
/** Parked requests come back no faster than this: ten thousand of them in 40 s, next to whatever else there is to do. */
const returnsPerSecond = 250;
/** However many are parked: no request is longer away than this beyond its time. */
const spreadMaxMs = 5 * 60_000;
/** What is kept of clusters that are gone is looked for this often, as long as there are requests. */
const forgetEveryMs = 60_000;
/** A look ends by itself, a moment after nobody waits. */
const unending = new AbortController().signal;

/**
 * Before anything of a request is read it enters the gate of its cluster. A cluster may take another slot while it has fewer
 * than are free, and no more than it has shown to answer: so clusters that hang do not take the slots of those that do not. A cluster that fails is asked seldom,
 * and its requests are parked: back in the queue, without a slot and without an attempt.
 */
export class ClusterGate {
  readonly #options: ClusterGateOptions;
  readonly #clusters = new Map<ClusterId, Gated>();
  /** Those with somebody who waits. */
  readonly #waited = new Set<Gated>();
  #inFlight = 0;
  #isLooking = false;
  #forgetAtMs = 0;

  constructor(options: ClusterGateOptions) {
    this.#options = options;
  }

  /** Resolves at once, or after a short wait for a slot. Whoever is let in has to leave. */
  async enter(cluster: ClusterId, signal: AbortSignal): Promise<Admission> {
    const { clock, reachOf } = this.#options;
    this.#forgetGone();
    const gated = this.#gated(cluster);
    const reach = reachOf(cluster);
    if (reach !== "reachable") {
      gated.wasUnreachable = true;
      const reason = reach === "unknown" ? "ClusterUnknown" : "ClusterUnreachable";
      return this.#park(cluster, gated, { reason, restMs: awayMs });
    }
    if (gated.wasUnreachable) {
      // The probe has heard of it: no breaker has to wait for its time.
      gated.wasUnreachable = false;
      gated.parkedUntilMs = 0;
      gated.breaker = tryAtOnce(gated.breaker, clock.monotonic());
    }
    const shutForMs = this.#shutFor(gated);
    if (shutForMs > 0) return this.#park(cluster, gated, { reason: "ClusterFailing", restMs: shutForMs });
    if (this.#hasSlot(gated)) this.#take(gated);
    else if (!(await this.#slot(gated, signal))) {
      const isHung = this.#looksHung(gated);
      const [reason, restMs] = isHung
        ? (["ClusterFailing", hungRestMs] as const)
        : (["ClusterBusy", busyMs] as const);
      return this.#park(cluster, gated, { reason, restMs });
    }
    // It may have been shut while this one waited.
    const asked = askCircuit(gated.breaker, clock.monotonic());
    if (asked.type === "wait") {
      this.#giveBack(gated);
      return this.#park(cluster, gated, { reason: "ClusterFailing", restMs: asked.forMs });
    }
    gated.breaker = asked.breaker;
    return { type: "in", leave: this.#leave(cluster, gated, asked.breaker.type === "half-open") };
  }

  #shutFor(gated: Gated): number {
    const asked = askCircuit(gated.breaker, this.#options.clock.monotonic());
    return asked.type === "wait" ? asked.forMs : 0;
  }

  #take(gated: Gated): void {
    const now = this.#options.clock.monotonic();
    if (gated.inFlight === 0) {
      if (now - gated.finishedAtMs > windowIdleMs) gated.window = windowFirst;
      gated.finishedAtMs = now;
    }
    gated.inFlight += 1;
    this.#inFlight += 1;
  }

  #giveBack(gated: Gated): void {
    gated.inFlight -= 1;
    this.#inFlight -= 1;
    this.#passOn();
  }

  #leave(cluster: ClusterId, gated: Gated, isTrial: boolean): (outcome: BreakerOutcome) => void {
    const enteredAt = this.#options.clock.monotonic();
    return (outcome) => {
      const now = this.#options.clock.monotonic();
      const tookMs = now - enteredAt;
      gated.finishedAtMs = now;
      const before = gated.breaker.type;
      // What began before the trial and failed since says nothing of it.
      const isStale = before === "half-open" && !isTrial && outcome !== "answered";
      if (!isStale) gated.breaker = afterOutcome(gated.breaker, outcome, now);
      if (outcome === "answered") {
        gated.parkedUntilMs = 0;
        gated.window = Math.min(this.#windowMax, gated.window + 1);
        const usualMs = gated.usualMs === 0 ? tookMs : gated.usualMs;
        gated.usualMs = usualMs + usualShare * (tookMs - usualMs);
      }
      if (outcome === "failed") gated.window = windowFirst;
      this.#measure(cluster, before, gated.breaker.type);
      this.#giveBack(gated);
    };
  }

  #measure(cluster: ClusterId, before: ClusterBreaker["type"], now: ClusterBreaker["type"]): void {
    if ((before === "closed") === (now === "closed")) return;
    this.#options.meter.breaker(this.#options.nameOf(cluster), now !== "closed");
  }

  /** A cluster that is alone gets half of the slots: the others are for whoever comes next. */
  get #windowMax(): number {
    return Math.max(windowFirst, Math.floor(this.#options.slots / 2));
  }

  #hasSlot(gated: Gated): boolean {
    const free = this.#options.slots - this.#inFlight;
    return gated.inFlight < Math.min(gated.window, free) && !this.#looksHung(gated);
  }

  /** The trial of a breaker finds out by itself, whatever of before is still under way. */
  #looksHung({ breaker, inFlight, finishedAtMs, usualMs }: Gated): boolean {
    const silentMs = Math.max(hungMs, Math.min(hungMaxMs, hungTimes * usualMs));
    const isSilent = this.#options.clock.monotonic() - finishedAtMs > silentMs;
    return breaker.type === "closed" && inFlight > 0 && isSilent;
  }

  /** Whether a slot became free in time. Nobody waits on for a cluster that looks hung. */
  async #slot(gated: Gated, signal: AbortSignal): Promise<boolean> {
    // Those who wait are in the way of others, too: no more than its window, which is little before it has answered.
    if (signal.aborted || this.#looksHung(gated) || gated.waiting.size >= gated.window) return false;
    const turn = Promise.withResolvers<boolean>();
    const endWith = (isIn: boolean) => (): void => {
      gated.waiting.delete(waiter);
      if (gated.waiting.size === 0) this.#waited.delete(gated);
      // At once, or somebody who has not waited takes it in between.
      if (isIn) this.#take(gated);
      turn.resolve(isIn);
    };
    const untilMs = this.#options.clock.monotonic() + waitMaxMs;
    const waiter: Waiter = { untilMs, enter: endWith(true), leave: endWith(false) };
    gated.waiting.add(waiter);
    this.#waited.add(gated);
    if (!this.#isLooking) void this.#lookAfterWaiting();
    signal.addEventListener("abort", waiter.leave, { once: true });
    const isIn = await turn.promise;
    signal.removeEventListener("abort", waiter.leave);
    return isIn;
  }

  /** One timer for all of them: one for each request of a storm would cost more than its wait. */
  async #lookAfterWaiting(): Promise<void> {
    const { clock } = this.#options;
    this.#isLooking = true;
    while (this.#waited.size > 0) {
      await clock.sleep(lookMs, unending);
      const now = clock.monotonic();
      for (const gated of this.#waited) {
        const isHung = this.#looksHung(gated);
        for (const waiter of gated.waiting) if (isHung || waiter.untilMs <= now) waiter.leave();
      }
    }
    this.#isLooking = false;
  }

  /** Lets in who waits, of the cluster with the fewest slots first. */
  #passOn(): void {
    for (;;) {
      const waiting = [...this.#waited].sort((a, b) => a.inFlight - b.inFlight);
      const next = waiting.find((gated) => this.#hasSlot(gated));
      const [waiter] = next?.waiting ?? [];
      if (waiter === undefined) return;
      waiter.enter();
    }
  }

  /** One after the other, so that those who are parked together do not come back together. */
  #park(
    cluster: ClusterId,
    gated: Gated,
    { reason, restMs }: { readonly reason: ParkReason; readonly restMs: number },
  ): Admission {
    const { clock, meter, nameOf, random } = this.#options;
    const now = clock.monotonic();
    const earliest = now + restMs;
    gated.parkedUntilMs = Math.max(earliest, gated.parkedUntilMs + 1000 / returnsPerSecond);
    const isBeyond = gated.parkedUntilMs > earliest + spreadMaxMs;
    const at = isBeyond ? earliest + spreadMaxMs * random() : gated.parkedUntilMs;
    meter.parked(nameOf(cluster), reason);
    return { type: "parked", afterMs: Math.ceil(at - now + (restMs / 10) * random()), reason };
  }

  /** Of how many clusters something is kept. */
  get clusters(): number {
    return this.#clusters.size;
  }

  /** Of a cluster that is not engaged any more nothing is kept once its last request has ended and is due again. */
  #forgetGone(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#forgetAtMs) return;
    this.#forgetAtMs = now + forgetEveryMs;
    for (const [cluster, { inFlight, parkedUntilMs, waiting }] of this.#clusters) {
      const isIdle = inFlight === 0 && waiting.size === 0 && parkedUntilMs <= now;
      if (isIdle && this.#options.reachOf(cluster) === "unknown") this.#clusters.delete(cluster);
    }
  }

  #gated(cluster: ClusterId): Gated {
    const known = this.#clusters.get(cluster);
    if (known !== undefined) return known;
    const made: Gated = {
      breaker: closedCircuit,
      inFlight: 0,
      window: windowFirst,
      finishedAtMs: 0,
      usualMs: 0,
      waiting: new Set(),
      parkedUntilMs: 0,
      wasUnreachable: false,
    };
    this.#clusters.set(cluster, made);
    return made;
  }
}
