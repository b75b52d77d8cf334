import type { BreakerOutcome, ClusterBreaker } from "@fleet-reloader/domain/cluster/breaker";
import type { Clock } from "../../async/clock.ts";

interface Waiter {
  /** Monotonic: until when it waits. */
  readonly untilMs: number;
  readonly enter: () => void;
  /** Ends the wait without a slot. */
  readonly leave: () => void;
}

/** The slots of one cluster, and how fast it answers. */
export interface ClusterSlots {
  breaker: ClusterBreaker;
  inFlight: number;
  /** How many slots it may have at once. It grows with each answer. */
  window: number;
  /** Monotonic, milliseconds: when its last request ended. */
  finishedAtMs: number;
  /** How long its recent requests took; 0 before the first. */
  usualMs: number;
  /** Whether the cluster failed to answer its last request that was not neutral. */
  hasFailed: boolean;
  readonly waiting: Set<Waiter>;
  /** Monotonic: since when a call to it waits for credentials or for any part of its answer. Undefined: none does. */
  readonly askedSinceMs: () => number | undefined;
}

/** In a storm, requests of a healthy cluster wait here for its next slot, which is cheaper than going back to the queue. */
const waitMaxMs = 2000;
/**
 * A cluster looks hung when it has requests under way, none has finished, and a call has been unanswered for this long. Then no request
 * waits for it or enters. Without an unanswered call a request may take its time, for example with a tenant's costly patterns.
 */
const hungMs = 250;
/** A distant cluster answers slowly and is healthy: this many times its usual time is allowed, up to `hungMaxMs`. */
const hungTimes = 3;
const hungMaxMs = 2000;
/** The weight of the latest request in the usual time. */
const usualShare = 0.2;
/** How often waiters are checked: just after their cluster can have begun to look hung. */
const checkMs = hungMs + 1;
/**
 * Slots of a cluster that has answered nothing yet. Each answer adds one, as a TCP window opens. So twenty clusters that hang at once
 * take forty slots, and not all slots.
 */
export const windowFirst = 2;
/** A cluster that has been idle for this long has to answer again before it gets more slots. */
const windowIdleMs = 1000;
/** For the loop of checks, which ends by itself when nothing waits. */
const unending = new AbortController().signal;

/**
 * The slots of this process, shared by its clusters. A cluster may take another slot while it has fewer slots than are free, and no more
 * than its window. So clusters that hang do not take the slots of clusters that answer.
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

  /** Waits for a slot and takes it. The wait for a cluster that looks hung ends at once. */
  async waitAndTake(cluster: ClusterSlots, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || this.looksHung(cluster) || !mayWait(cluster)) return false;
    const turn = Promise.withResolvers<boolean>();
    const endWith = (isIn: boolean) => (): void => {
      cluster.waiting.delete(waiter);
      if (cluster.waiting.size === 0) this.#waited.delete(cluster);
      // Taken at once, or a request that has not waited would take the slot in between.
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

  /** Notes how a request of a cluster ended, which changes how many slots the cluster may have. */
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

  /** Only a cluster with a closed breaker can look hung: otherwise the trial shows whether the cluster answers. */
  looksHung({ askedSinceMs, breaker, inFlight, finishedAtMs, usualMs }: ClusterSlots): boolean {
    if (breaker.type !== "closed" || inFlight === 0) return false;
    const now = this.#clock.monotonic();
    const silentMs = Math.max(hungMs, Math.min(hungMaxMs, hungTimes * usualMs));
    return now - finishedAtMs > silentMs && now - (askedSinceMs() ?? now) > silentMs;
  }

  /** A cluster that is alone gets half of the slots. The others are for the next cluster. */
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

/** A waiter occupies a place of the worker that other clusters need: a failing cluster has no more waiters than its window. */
function mayWait({ hasFailed, waiting, window }: ClusterSlots): boolean {
  return !hasFailed || waiting.size < window;
}
