import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { FailureReport, HoldReport, RollReport } from "@fleet-reloader/engine/ports/reporter";

/** A failure that lasts is told again after this long. */
const repeatAfterMs = 3_600_000;
/** Failures remembered; one that was forgotten is told once more. */
const rememberedMax = 4096;

/** Tells a failure that is new from one that goes on: a workload that cannot be rolled is tried every few minutes. */
export class Repeats {
  readonly #toldMs = new Map<string, number>();

  isNews(report: FailureReport | HoldReport): boolean {
    const { cluster, workload, atMs } = report;
    const key = `${keyOf(cluster, workload)} ${"code" in report ? report.code : report.reason}`;
    const before = this.#toldMs.get(key);
    if (before !== undefined && atMs - before < repeatAfterMs) return false;
    this.#toldMs.delete(key);
    this.#toldMs.set(key, atMs);
    const [oldest] = this.#toldMs.keys();
    if (this.#toldMs.size > rememberedMax && oldest !== undefined) this.#toldMs.delete(oldest);
    return true;
  }

  /** It was rolled after all: the next failure is a new one. */
  ended({ cluster, workload }: RollReport): void {
    const prefix = `${keyOf(cluster, workload)} `;
    for (const key of this.#toldMs.keys()) if (key.startsWith(prefix)) this.#toldMs.delete(key);
  }
}

function keyOf(cluster: string, workload: WorkloadRef): string {
  return `${cluster}|${workloadKey(workload)}`;
}
