import type { ClusterEvent } from "@fleet-reloader/domain/cluster/cluster-status";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";

export interface ClusterHealthOptions {
  /** When the cluster last answered anything, on the monotonic clock. */
  readonly heardAt: () => number;
  /** A cheap request. Only the fact of an answer matters, not its content. */
  readonly ask: (signal: AbortSignal) => Promise<void>;
  readonly tell: (event: ClusterEvent) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** As in Cluster API's ClusterCache: a probe after 10 s of silence, 5 s for its answer; no probe while the cluster sends anything. */
const healthQuietMs = 10_000;
const probeTimeoutMs = 5000;
/** Time from the start of a missed probe to the next one: five of them take half a minute. */
const missEveryMs = 5000;
/** Disturbances come in groups, one for each interrupted request. */
const disturbedPauseMs = 500;

/** Notices when a cluster falls silent and when it is back. */
export class Health {
  readonly #options: ClusterHealthOptions;
  #isMissed = false;
  #isRefused = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isDisturbed = false;
  #nap: LinkedAbort | undefined;

  constructor(options: ClusterHealthOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next probe, at most; undefined: the last one was answered and not refused. */
  get probedInMs(): number | undefined {
    if (!this.#isMissed && !this.#isRefused) return undefined;
    const everyMs = this.#isMissed ? missEveryMs : healthQuietMs;
    return Math.max(0, this.#askedAt + everyMs - this.#options.clock.monotonic());
  }

  /** A request was interrupted, so the next probe comes early. */
  disturbed(): void {
    this.#isDisturbed = true;
    this.#nap?.abort();
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#quiet(signal);
      if (signal.aborted) return;
      this.#askedAt = clock.monotonic();
      await this.#probe(signal);
      if (this.#isMissed) await this.#sleep(this.#askedAt + missEveryMs - clock.monotonic(), signal);
    }
  }

  /** Resolves when a probe is due. */
  async #quiet(signal: AbortSignal): Promise<void> {
    const { clock, heardAt, random } = this.#options;
    // Jitter, so that a thousand quiet clusters are not probed at once.
    const limitMs = healthQuietMs * (1 - random() / 10);
    using nap = linkedAbort(signal);
    this.#nap = nap;
    while (!this.#isMissed && !signal.aborted) {
      if (this.#isDisturbed) {
        await this.#sleep(disturbedPauseMs, signal);
        break;
      }
      // A cluster that refuses us still serves the streams it accepted before, so only a probe shows when the refusal ends.
      const since = this.#isRefused ? this.#askedAt : Math.max(heardAt(), this.#askedAt);
      const leftMs = since + limitMs - clock.monotonic();
      if (leftMs <= 0) break;
      await this.#sleep(leftMs, nap.signal);
    }
    this.#isDisturbed = false;
  }

  async #probe(signal: AbortSignal): Promise<void> {
    using probe = linkedAbort(signal);
    const answered = new AbortController();
    void this.#sleep(probeTimeoutMs, answered.signal).then(probe.abort);
    try {
      await this.#options.ask(probe.signal);
      this.#heard();
    } catch (error) {
      if (signal.aborted) return;
      const seconds = probeTimeoutMs / 1000;
      this.#judge(
        probe.signal.aborted ? new Fault("kube.timeout", `no answer within ${seconds} s`) : asFault(error),
      );
    } finally {
      answered.abort();
    }
  }

  #judge(fault: Fault): void {
    const { status } = fault.context;
    const isAnswered = typeof status === "number" && status < 500;
    if (isAnswered && fault.code !== "kube.unauthorized") {
      this.#heard();
      return;
    }
    this.#isMissed = !isAnswered;
    this.#isRefused = isAnswered;
    this.#options.tell({ type: isAnswered ? "refused" : "missed", why: fault.message });
  }

  #heard(): void {
    this.#isMissed = false;
    this.#isRefused = false;
    this.#options.tell({ type: "heard" });
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(Math.max(0, ms), signal).catch(() => undefined);
  }
}
