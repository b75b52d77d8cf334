import type { FailureReport, HoldReport, RollReport } from "@fleet-reloader/engine/ports/reporter";
import { requestKey } from "@fleet-reloader/engine/ports/request";
import { LRUCache } from "lru-cache";

/** A lasting failure is notified again after this time. */
const repeatAfterMs = 3_600_000;
/** Maximum failures remembered. A forgotten one is notified once more. */
const repeatsMax = 4096;

/** Tells a new failure from one that continues: a workload that cannot be rolled is tried again every few minutes. */
export class Repeats {
  readonly #notifiedMs = new LRUCache<string, number>({ max: repeatsMax });

  isNews(report: FailureReport | HoldReport): boolean {
    const { atMs } = report;
    const key = `${requestKey(report)} ${"code" in report ? report.code : report.reason}`;
    const before = this.#notifiedMs.peek(key);
    if (before !== undefined && atMs - before < repeatAfterMs) return false;
    this.#notifiedMs.set(key, atMs);
    return true;
  }

  /** The workload was rolled, so its next failure is a new one. */
  ended(report: RollReport): void {
    const prefix = `${requestKey(report)} `;
    // Copies the keys, because the cache must not change during the iteration.
    for (const key of [...this.#notifiedMs.keys()]) if (key.startsWith(prefix)) this.#notifiedMs.delete(key);
  }
}
