import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { FailureReport, HoldReport, RollReport } from "@fleet-reloader/engine/ports/reporter";
import { LRUCache } from "lru-cache";

/** A failure that lasts is notified again after this time. */
const repeatAfterMs = 3_600_000;
/** Failures remembered. One that was forgotten is notified once more. */
const repeatsMax = 4096;

/** Separates a new failure from one that continues: a workload that cannot be rolled is tried every few minutes. */
export class Repeats {
  readonly #notifiedMs = new LRUCache<string, number>({ max: repeatsMax });

  isNews(report: FailureReport | HoldReport): boolean {
    const { cluster, workload, atMs } = report;
    const key = `${repeatKeyOf(cluster, workload)} ${"code" in report ? report.code : report.reason}`;
    const before = this.#notifiedMs.peek(key);
    if (before !== undefined && atMs - before < repeatAfterMs) return false;
    this.#notifiedMs.set(key, atMs);
    return true;
  }

  /** The workload was rolled: its next failure is a new one. */
  ended({ cluster, workload }: RollReport): void {
    const prefix = `${repeatKeyOf(cluster, workload)} `;
    // A list, since the cache cannot be changed while its keys are iterated.
    for (const key of [...this.#notifiedMs.keys()]) if (key.startsWith(prefix)) this.#notifiedMs.delete(key);
  }
}

function repeatKeyOf(cluster: string, workload: WorkloadRef): string {
  return `${cluster}|${workloadKey(workload)}`;
}
