import { asFault } from "@fleet-reloader/domain/fault";
import { stableHash } from "@fleet-reloader/domain/ownership/stable-hash";
import { parseWorkloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Addition, Workqueue } from "../ports/workqueue.ts";

export interface AuditScheduleOptions {
  readonly cluster: ClusterId;
  /** Each workload is requested once in this time. */
  readonly intervalMs: number;
  /** Keys of the workloads that opt in to anything now, or that a worker still has to clean up after they opted out. */
  readonly audited: () => Iterable<string>;
  readonly queue: Pick<Workqueue, "add">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Length of one slice of the interval. */
const auditSliceMs = 60_000;
/** The shortest slice. A shorter interval requests all workloads this often. */
const shortestMs = 1000;

/**
 * Requests an audit of each of these workloads, once in each interval and spread evenly over it. The slice of a workload follows from
 * its name and the wall clock, so a new watcher continues where the last one stopped.
 */
export class AuditSchedule {
  readonly #options: AuditScheduleOptions;
  readonly #slices: number;
  readonly #lengthMs: number;

  constructor(options: AuditScheduleOptions) {
    this.#options = options;
    this.#slices = Math.ceil(options.intervalMs / auditSliceMs);
    this.#lengthMs = Math.max(shortestMs, options.intervalMs / this.#slices);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let last = this.#sliceNow();
    while (!signal.aborted) {
      await clock.sleep(this.#lengthMs, signal).catch(() => undefined);
      const now = this.#sliceNow();
      if (signal.aborted || now === last) continue;
      // Slices that passed during a long sleep are made up for, each once. The clock may have been set back.
      const first = now < last ? now : Math.max(last + 1, now - this.#slices + 1);
      try {
        await this.#ask(first, now);
        last = now;
      } catch (error) {
        const fault = asFault(error);
        log.debug({ reason: fault.code, err: fault.message }, "audit not asked for");
      }
    }
  }

  #sliceNow(): number {
    return Math.floor(this.#options.clock.now() / this.#lengthMs);
  }

  async #ask(first: number, last: number): Promise<void> {
    const { cluster, audited, queue } = this.#options;
    const due = new Set<number>();
    for (let slice = first; slice <= last; slice += 1) due.add(slice % this.#slices);
    const additions: Addition[] = [];
    for (const key of audited()) {
      // The cluster is part of the hash, because every cluster has the same add-ons.
      if (!due.has(stableHash(`${cluster}/${key}`) % this.#slices)) continue;
      const workload = parseWorkloadKey(key);
      if (workload === undefined) continue;
      additions.push({
        request: { cluster, workload },
        quietPeriodMs: 0,
        maxWaitMs: 0,
        purpose: "audit",
      });
    }
    await queue.add(additions);
  }
}
