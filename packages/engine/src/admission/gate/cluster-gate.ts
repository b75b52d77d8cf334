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

/** What the fleet knows of a cluster. `failing`: it did not accept the last probe. An `unknown` cluster is not engaged here. */
export type Reach = "reachable" | "failing" | "unreachable" | "unknown";

/** A request that is let in has to leave. */
export interface InsideGate {
  leave(outcome: BreakerOutcome): void;
}

export type GateVerdict = Verdict<InsideGate, OnHold<GateReason>>;

export interface ClusterGateOptions {
  /** Requests that this process handles at once. */
  readonly slots: number;
  readonly reachOf: (cluster: ClusterId) => Reach;
  /** In how many milliseconds a cluster is probed again; undefined: it has accepted the last probe, or is not engaged. */
  readonly probedInMs: (cluster: ClusterId) => number | undefined;
  readonly nameOf: (cluster: ClusterId) => string;
  /** Monotonic, milliseconds: since when a call to the cluster waits for credentials, for its answer or for more of it. Undefined: none does. */
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
  /** What the meter was told last of its breaker. */
  isShownOpen: boolean;
}

const awayReasons = {
  failing: "ClusterFailing",
  unreachable: "ClusterUnreachable",
  unknown: "ClusterUnknown",
} as const satisfies Record<Exclude<Reach, "reachable">, GateReason>;

/** How long a request is on hold for want of a slot. It is spread by chance, so that not all ask again at once. */
const busyMs = 400;
/** How long while its cluster looks hung: by then what is under way there has met its deadline or has been answered. */
const hungHoldMs = 3000;
/** How long while the fleet does not know a cluster. */
const unknownMs = 5000;
/** How long after the beginning of the next probe, while the last one failed: a healthy cluster has answered it by then. */
const probeAnswerMs = 500;
/** Requests on hold come back no faster than this: ten thousand of them in 40 s, beside all other work. */
const returnsPerSecond = 250;
/** However many are on hold, no request is away for longer than this beyond its time. */
const spreadMaxMs = 5 * 60_000;
/** A request that fails again and again is tried again within 5 minutes: after that nobody tries the cluster any more. */
const untriedMs = 5 * 60_000;
/** How often clusters that are gone are looked for, as long as there are requests. */
const forgetEveryMs = 60_000;

/**
 * Every request passes the gate of its cluster before anything of it is read. The gate asks whether the cluster is reachable, whether
 * its breaker is closed, and whether a slot is free. A request that does not pass is on hold: it goes back into the queue, without a
 * slot and without a counted attempt.
 */
export class ClusterGate {
  readonly #options: ClusterGateOptions;
  readonly #slots: SlotPool;
  readonly #clusters = new Map<ClusterId, Gated>();
  #forgetAtMs = 0;

  constructor(options: ClusterGateOptions) {
    this.#options = options;
    this.#slots = new SlotPool(options);
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

  /** A request would fail as the last probe did: it comes back right after the next one. */
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

  /** A probe was answered: the breaker lets requests try the cluster at once. */
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
      // A request that began before the trial and failed since tells nothing about it.
      const isStale = before === "half-open" && !isTrial && outcome !== "answered";
      if (!isStale) gated.breaker = afterOutcome(gated.breaker, outcome, now);
      if (outcome === "answered") gated.heldUntilMs = 0;
      this.#slots.finished(gated, outcome, now - enteredAt);
      this.#show(gated, gated.breaker.type !== "closed");
      this.#slots.release(gated);
    };
  }

  /**
   * To be called before the breakers are read. One that opened here is shown closed once nothing here has tried the cluster for long: it
   * may have recovered, and the request that shows so may have gone to another process.
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

  /** Requests that are put on hold together come back one after the other. */
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

  /** Of how many clusters something is kept. */
  get clusters(): number {
    return this.#clusters.size;
  }

  /** Drops what is kept of clusters that are not engaged any more, once their last request has ended and is due again. */
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
