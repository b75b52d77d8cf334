import {
  afterOutcome,
  askCircuit,
  type BreakerOutcome,
  closedCircuit,
  tryAtOnce,
} from "@fleet-reloader/domain/cluster/breaker";
import type { GateReason } from "@fleet-reloader/domain/cluster/gate-reason";
import type { Clock, Random } from "../../async/clock.ts";
import type { Meter } from "../../ports/meter.ts";
import type { ClusterId, OnHold, Verdict } from "../../ports/request.ts";
import { type ClusterSlots, SlotPool, windowFirst } from "./cluster-slots.ts";

/** The state of a cluster in the fleet. `failing`: it did not accept the last probe. `unknown`: it is not engaged here. */
export type Reach = "reachable" | "failing" | "unreachable" | "unknown";

/** Admission of a request. `leave` has to be called when the request ends. */
export interface InsideGate {
  leave(outcome: BreakerOutcome): void;
}

export type GateVerdict = Verdict<InsideGate, OnHold<GateReason>>;

export interface ClusterGateOptions {
  /** How many requests this process handles at the same time. */
  readonly slots: number;
  readonly reachOf: (cluster: ClusterId) => Reach;
  /** In how many milliseconds the cluster is probed again; undefined: it accepted the last probe, or is not engaged. */
  readonly probedInMs: (cluster: ClusterId) => number | undefined;
  readonly nameOf: (cluster: ClusterId) => string;
  /** Monotonic, milliseconds: since when a call to the cluster waits for credentials or for any part of its answer. Undefined: none does. */
  readonly askedSinceMs: (cluster: ClusterId) => number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Pick<Meter, "parked" | "breaker">;
}

interface Gated extends ClusterSlots {
  readonly cluster: ClusterId;
  /** When the last of its requests on hold comes back. */
  heldUntilMs: number;
  wasAway: boolean;
  /** The state of its breaker that the meter was given last. */
  isShownOpen: boolean;
}

const awayReasons = {
  failing: "ClusterFailing",
  unreachable: "ClusterUnreachable",
  unknown: "ClusterUnknown",
} as const satisfies Record<Exclude<Reach, "reachable">, GateReason>;

/** How long a request is on hold when no slot is free. It is randomized, so that requests do not all come back at once. */
const busyMs = 400;
/** The hold while its cluster looks hung: by then the calls under way have met their deadline or been answered. */
const hungHoldMs = 3000;
/** The hold while the fleet does not know the cluster. */
const unknownMs = 5000;
/** The hold after the start of the next probe when the last one failed: a healthy cluster has answered it by then. */
const probeAnswerMs = 500;
/** The rate at which requests on hold come back: ten thousand of them in 40 s, beside all other work. */
const returnsPerSecond = 250;
/** However many requests are on hold, each comes back at most this long after its time. */
const spreadMaxMs = 5 * 60_000;
/** A request that keeps failing is retried within 5 minutes. After that time no request tries the cluster any more. */
const untriedMs = 5 * 60_000;
/** How often clusters that are gone are removed, as long as there are requests. */
const forgetEveryMs = 60_000;

/**
 * Every request passes the gate of its cluster before it reads anything. The gate asks whether the cluster is reachable, whether its
 * breaker is closed, and whether a slot is free. A request that does not pass is on hold: it goes back into the queue, without a slot and
 * without a counted attempt.
 */
export class ClusterGate {
  readonly #options: ClusterGateOptions;
  readonly #slots: SlotPool;
  readonly #clusters = new Map<ClusterId, Gated>();
  #forgetAtMs = 0;

  constructor(options: ClusterGateOptions) {
    const { slots, clock } = options;
    this.#options = options;
    this.#slots = new SlotPool({ slots, clock });
  }

  /** Resolves at once, or after a short wait for a slot. */
  async admit(cluster: ClusterId, signal: AbortSignal): Promise<GateVerdict> {
    this.#forgetGone();
    const gated = this.#gated(cluster);
    const away = this.#away(gated);
    if (away !== undefined) return away;
    const shutForMs = this.#shutFor(gated);
    if (shutForMs > 0) return this.#hold(gated, "ClusterFailing", shutForMs);
    if (!this.#slots.tryTake(gated) && !(await this.#slots.waitAndTake(gated, signal))) {
      const isHung = this.#slots.looksHung(gated);
      return isHung
        ? this.#hold(gated, "ClusterFailing", hungHoldMs)
        : this.#hold(gated, "ClusterBusy", busyMs);
    }
    // The breaker may have opened during the wait.
    const asked = askCircuit(gated.breaker, this.#options.clock.monotonic());
    if (asked.type === "wait") {
      this.#slots.release(gated);
      return this.#hold(gated, "ClusterFailing", asked.forMs);
    }
    gated.breaker = asked.breaker;
    return { type: "go", leave: this.#leave(gated, asked.breaker.type === "half-open") };
  }

  /** Holds a request that would fail like the last probe. It comes back right after the next probe. */
  #away(gated: Gated): OnHold<GateReason> | undefined {
    const { probedInMs, reachOf } = this.#options;
    const reach = reachOf(gated.cluster);
    if (reach === "reachable") {
      if (gated.wasAway) this.#isBack(gated);
      return undefined;
    }
    gated.wasAway = true;
    const probedIn = probedInMs(gated.cluster);
    return this.#hold(
      gated,
      awayReasons[reach],
      probedIn === undefined ? unknownMs : probedIn + probeAnswerMs,
    );
  }

  /** The cluster answered a probe: the breaker lets requests try the cluster at once. */
  #isBack(gated: Gated): void {
    gated.wasAway = false;
    gated.heldUntilMs = 0;
    gated.breaker = tryAtOnce(gated.breaker);
    this.#show(gated, gated.breaker.type !== "closed");
  }

  #shutFor(gated: Gated): number {
    const asked = askCircuit(gated.breaker, this.#options.clock.monotonic());
    return asked.type === "wait" ? asked.forMs : 0;
  }

  #leave(gated: Gated, isTrial: boolean): (outcome: BreakerOutcome) => void {
    const enteredAt = this.#options.clock.monotonic();
    return (outcome) => {
      const now = this.#options.clock.monotonic();
      const before = gated.breaker.type;
      // A request that began before the trial and failed since then says nothing about the trial.
      const isStale = before === "half-open" && !isTrial && outcome !== "answered";
      if (!isStale) gated.breaker = afterOutcome(gated.breaker, outcome, now);
      if (outcome === "answered") gated.heldUntilMs = 0;
      this.#slots.finished(gated, outcome, now - enteredAt);
      this.#show(gated, gated.breaker.type !== "closed");
      this.#slots.release(gated);
    };
  }

  /**
   * Call it before the breakers are read. An open breaker is shown as closed once no request here has tried the cluster for long: the
   * cluster may have recovered, and the request that shows it may have gone to another process.
   */
  showIdle(): void {
    const now = this.#options.clock.monotonic();
    for (const gated of this.#clusters.values()) {
      const { breaker, heldUntilMs, inFlight, waiting } = gated;
      if (breaker.type !== "open" || inFlight > 0 || waiting.size > 0) continue;
      if (now >= Math.max(breaker.untilMs, heldUntilMs) + untriedMs) this.#show(gated, false);
    }
  }

  #show(gated: Gated, isOpen: boolean): void {
    if (gated.isShownOpen === isOpen) return;
    gated.isShownOpen = isOpen;
    this.#options.meter.breaker(this.#options.nameOf(gated.cluster), isOpen);
  }

  /** Spreads requests that are put on hold together, so that they come back one after the other. */
  #hold(gated: Gated, reason: GateReason, waitMs: number): OnHold<GateReason> {
    const { clock, meter, nameOf, random } = this.#options;
    const now = clock.monotonic();
    const earliest = now + waitMs;
    gated.heldUntilMs = Math.max(earliest, gated.heldUntilMs + 1000 / returnsPerSecond);
    const isBeyond = gated.heldUntilMs > earliest + spreadMaxMs;
    const at = isBeyond ? earliest + spreadMaxMs * random() : gated.heldUntilMs;
    meter.parked(nameOf(gated.cluster), reason);
    return { type: "hold", reason, afterMs: Math.ceil(at - now + (waitMs / 10) * random()) };
  }

  /** The number of clusters that the gate keeps state of. */
  get clusters(): number {
    return this.#clusters.size;
  }

  /** Drops the state of clusters that are no longer engaged, once their last request has ended and its hold is over. */
  #forgetGone(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#forgetAtMs) return;
    this.#forgetAtMs = now + forgetEveryMs;
    for (const [cluster, { inFlight, heldUntilMs, waiting }] of this.#clusters) {
      const isIdle = inFlight === 0 && waiting.size === 0 && heldUntilMs <= now;
      if (isIdle && this.#options.reachOf(cluster) === "unknown") this.#clusters.delete(cluster);
    }
  }

  #gated(cluster: ClusterId): Gated {
    const known = this.#clusters.get(cluster);
    if (known !== undefined) return known;
    const made: Gated = {
      cluster,
      breaker: closedCircuit,
      inFlight: 0,
      window: windowFirst,
      finishedAtMs: 0,
      usualMs: 0,
      hasFailed: false,
      waiting: new Set(),
      askedSinceMs: () => this.#options.askedSinceMs(cluster),
      heldUntilMs: 0,
      wasAway: false,
      isShownOpen: false,
    };
    this.#clusters.set(cluster, made);
    return made;
  }
}
