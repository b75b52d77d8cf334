import type { BreakerOutcome, ClusterBreaker } from "@fleet-reloader/domain/cluster/breaker";
import type { Clock } from "../../async/clock.ts";

interface Waiter {
  /** Monotonic: until when it waits. */
  readonly untilMs: number;
  readonly enter: () => void;
  /** Ends the wait without a slot. */
  readonly leave: () => void;
}

/** The slots that one cluster has, and what is known of how fast it answers. */
export interface ClusterSlots {
  breaker: ClusterBreaker;
  inFlight: number;
  /** How many it may have at once, as far as it has shown that it answers. */
  window: number;
  /** Monotonic, milliseconds: when a request of it ended last. */
  finishedAtMs: number;
  /** How long its requests take of late; 0 before the first. */
  usualMs: number;
  /** Whether it did not answer its last request that tells something of it. */
  hasFailed: boolean;
  readonly waiting: Set<Waiter>;
  /** Monotonic: since when a call to it waits for credentials, for its answer or for more of it. Undefined: none does. */
  readonly askedSinceMs: () => number | undefined;
}

/** A storm of a healthy cluster waits here for its next slot, which is cheaper than to go back to the queue. */
const waitMaxMs = 2000;
/**
 * A cluster with requests under way, none finished and a call unanswered for this long looks hung: nobody waits for it, and nobody enters.
 * A request may also take its time by itself, for example with a tenant's costly patterns.
 */
const hungMs = 250;
/** A cluster that is far away answers slowly and is healthy: this many times its usual time is allowed, up to `hungMaxMs`. */
const hungTimes = 3;
const hungMaxMs = 2000;
/** The weight of the latest request in the usual time. */
const usualShare = 0.2;
/** How often waiters are checked: just after their cluster could have begun to look hung. */
const checkMs = hungMs + 1;
/**
 * Slots of a cluster that has answered nothing yet. Each answer adds one, as a TCP window opens. So twenty clusters that hang at once
 * take forty slots, and not all there are.
 */
export const windowFirst = 2;
/** A cluster that has been idle for this long has to show again that it answers. */
const windowIdleMs = 1000;
/** The loop of checks ends by itself when nobody waits. */
const unending = new AbortController().signal;

/**
 * The slots of this process, shared by its clusters. A cluster may take another slot while it has fewer than are free, and no more than
 * its window. So clusters that hang do not take the slots of those that answer.
 */
export class SlotPool {
  readonly #slots: number;
  readonly #clock: Clock;
  /** Clusters with waiters. */
  readonly #waited = new Set<ClusterSlots>();
  #inFlight = 0;
  #isChecking = false;

  constructor({ slots, clock }: { readonly slots: number; readonly clock: Clock }) {
    this.#slots = slots;
    this.#clock = clock;
  }

  /** Takes a slot if one is free. Every slot that is taken has to be released. */
  tryTake(cluster: ClusterSlots): boolean {
    const isFree = this.#hasSlot(cluster);
    if (isFree) this.#take(cluster);
    return isFree;
  }

  /** Takes a slot that becomes free in time. The wait for a cluster that looks hung ends at once. */
  async waitAndTake(cluster: ClusterSlots, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.looksHung(cluster) || !mayWait(cluster)) return false;
    const turn = Promise.withResolvers<boolean>();
    const endWith = (isIn: boolean) => (): void => {
      cluster.waiting.delete(waiter);
      if (cluster.waiting.size === 0) this.#waited.delete(cluster);
      // Now and not later: a request that has not waited would take the slot in between.
      if (isIn) this.#take(cluster);
      turn.resolve(isIn);
    };
    const untilMs = this.#clock.monotonic() + waitMaxMs;
    const waiter: Waiter = { untilMs, enter: endWith(true), leave: endWith(false) };
    cluster.waiting.add(waiter);
    this.#waited.add(cluster);
    if (!this.#isChecking) void this.#checkWaiters();
    signal.addEventListener("abort", waiter.leave, { once: true });
    const isIn = await turn.promise;
    signal.removeEventListener("abort", waiter.leave);
    return isIn;
  }

  /** Frees a slot; the next waiter takes it. */
  release(cluster: ClusterSlots): void {
    cluster.inFlight -= 1;
    this.#inFlight -= 1;
    this.#passOn();
  }

  /** Notes how a request of a cluster ended, for the slots that the cluster may have. */
  finished(cluster: ClusterSlots, outcome: BreakerOutcome, tookMs: number): void {
    cluster.finishedAtMs = this.#clock.monotonic();
    if (outcome === "neutral") return;
    cluster.hasFailed = outcome === "failed";
    if (outcome === "failed") {
      cluster.window = windowFirst;
      return;
    }
    cluster.window = Math.min(this.#windowMax, cluster.window + 1);
    const usualMs = cluster.usualMs === 0 ? tookMs : cluster.usualMs;
    cluster.usualMs = usualMs + usualShare * (tookMs - usualMs);
  }

  /** The trial of a breaker that is not closed tells by itself whether the cluster answers. */
  looksHung({ askedSinceMs, breaker, inFlight, finishedAtMs, usualMs }: ClusterSlots): boolean {
    if (breaker.type !== "closed" || inFlight === 0) return false;
    const now = this.#clock.monotonic();
    const silentMs = Math.max(hungMs, Math.min(hungMaxMs, hungTimes * usualMs));
    return now - finishedAtMs > silentMs && now - (askedSinceMs() ?? now) > silentMs;
  }

  /** A cluster that is alone gets half of the slots: the others are for whichever comes next. */
  get #windowMax(): number {
    return Math.max(windowFirst, Math.floor(this.#slots / 2));
  }

  #hasSlot(cluster: ClusterSlots): boolean {
    const free = this.#slots - this.#inFlight;
    return cluster.inFlight < Math.min(cluster.window, free) && !this.looksHung(cluster);
  }

  #take(cluster: ClusterSlots): void {
    const now = this.#clock.monotonic();
    if (cluster.inFlight === 0) {
      if (now - cluster.finishedAtMs > windowIdleMs) cluster.window = windowFirst;
      cluster.finishedAtMs = now;
    }
    cluster.inFlight += 1;
    this.#inFlight += 1;
  }

  /** One timer for all waiters: a timer for each request of a storm would cost more than its wait. */
  async #checkWaiters(): Promise<void> {
    this.#isChecking = true;
    while (this.#waited.size > 0) {
      await this.#clock.sleep(checkMs, unending);
      const now = this.#clock.monotonic();
      for (const cluster of this.#waited) {
        const isHung = this.looksHung(cluster);
        for (const waiter of cluster.waiting) if (isHung || waiter.untilMs <= now) waiter.leave();
      }
    }
    this.#isChecking = false;
  }

  /** Lets waiters in, those of the cluster with the fewest slots first. */
  #passOn(): void {
    for (;;) {
      const waiting = [...this.#waited].sort((a, b) => a.inFlight - b.inFlight);
      const next = waiting.find((cluster) => this.#hasSlot(cluster));
      const [waiter] = next?.waiting ?? [];
      if (waiter === undefined) return;
      waiter.enter();
    }
  }
}

/** A waiter holds a place of the worker that other clusters need too: a cluster that fails has no more of them than its window. */
function mayWait({ hasFailed, waiting, window }: ClusterSlots): boolean {
  return !hasFailed || waiting.size < window;
}
