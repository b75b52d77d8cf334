import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { Backoff } from "../backoff.ts";

/** Concurrent connection attempts: each costs a TLS handshake, and a dozen keep a core busy. Karmada has 5. */
const connectsAtOnce = 12;
/** A healthy cluster identifies itself in milliseconds. A slower one keeps trying after its slot has gone to another. */
const connectTurnMs = 2000;
/**
 * Full jitter between nothing and this limit, which doubles. The usual limit of 5 minutes is too long: people wait for the cluster they have just
 * fixed.
 */
const retryFirstMs = 1000;
const retryMaxMs = 60_000;
const retryLeastMs = 500;
/** While few clusters are away, each is tried as often as an engaged cluster is probed. */
const fewMaxMs = 5000;
/** Each cluster that is away raises the limit by this, so that all of them together are tried twice a second, however many they are. */
const eachMaxMs = 1000;

export interface ConnectPaceOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** The attempts of one registration, until they are disposed of. */
export interface ConnectAttempts extends Disposable {
  /** How long to wait after a failed attempt. `isRefused`: our credentials were refused, and a person has to change that. */
  pauseMs(isRefused: boolean): number;
}

/** When the registrations of a fleet connect: a few at once, and failed ones again after a pause. */
export class ConnectPace {
  readonly #random: Random;
  readonly #semaphore: Semaphore;
  #trying = 0;

  constructor({ clock, random }: ConnectPaceOptions) {
    this.#random = random;
    this.#semaphore = new Semaphore({ atOnce: connectsAtOnce, longestMs: connectTurnMs, clock });
  }

  /** Resolves to a function that ends the turn. */
  takeTurn(signal: AbortSignal): Promise<() => void> {
    return this.#semaphore.take(signal);
  }

  begin(): ConnectAttempts {
    const backoff = new Backoff({ firstMs: retryFirstMs, maxMs: retryMaxMs, random: this.#random });
    this.#trying += 1;
    return {
      pauseMs: (isRefused) => retryLeastMs + backoff.next(isRefused ? retryMaxMs : this.#limitMs),
      [Symbol.dispose]: () => {
        this.#trying -= 1;
      },
    };
  }

  get #limitMs(): number {
    return Math.min(retryMaxMs, Math.max(fewMaxMs, this.#trying * eachMaxMs));
  }
}
