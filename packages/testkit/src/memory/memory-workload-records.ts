import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import { isOlderVersion } from "@fleet-reloader/domain/resource-version";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type {
  ObservedVersion,
  ServedRecord,
  WorkloadRecord,
  WorkloadRecords,
} from "@fleet-reloader/engine/ports/workload-records";
import type { MemoryReferenceIndex } from "./memory-reference-index.ts";

export interface MemoryWorkloadRecordsOptions {
  readonly index: MemoryReferenceIndex;
  /** Where no watch tells: since when all is served. */
  readonly served?: () => ServedRecord;
  /** Asked before each read; what it throws is its failure. What is told then is lost. */
  readonly before?: (call: string) => void;
}

/** What workers remember of workloads, in the same memory as the reference index: both are lost together. */
export class MemoryWorkloadRecords implements WorkloadRecords {
  readonly #options: MemoryWorkloadRecordsOptions;

  constructor(options: MemoryWorkloadRecordsOptions) {
    this.#options = options;
  }

  async read({ workload }: Request): Promise<WorkloadRecord> {
    this.#options.before?.("read");
    const { index, served } = this.#options;
    const key = workloadKey(workload);
    const { records } = index;
    const own = records?.served.get(streamName(workload.kind, workload.namespace));
    const all = records?.served.get(streamName(workload.kind, undefined));
    const { seen } = records ?? {};
    const last = index.applied.get(key);
    return {
      appliedText: last?.appliedText,
      appliedAtSeconds: last?.atSeconds,
      heldSinceSeconds: index.held.get(key),
      seen: seen?.get(key),
      served: own ?? all ?? served?.(),
    };
  }

  applied({ workload }: Request, appliedText: string | undefined, observed: ObservedVersion): void {
    if (this.#isLost("noted")) return;
    const { applied, held, records } = this.#options.index;
    const key = workloadKey(workload);
    held.delete(key);
    if (appliedText === undefined) applied.delete(key);
    else applied.set(key, { appliedText, atSeconds: observed.appliedAtSeconds });
    const seen = records?.seen.get(key)?.resourceVersion;
    if (seen !== undefined && isOlderVersion(observed.resourceVersion, seen)) return;
    records?.seen.delete(key);
    records?.unreconciled.delete(key);
  }

  async keep({ workload }: Request, appliedText: string, atSeconds: number): Promise<void> {
    this.#options.before?.("keep");
    this.#options.index.applied.set(workloadKey(workload), { appliedText, atSeconds });
  }

  held({ workload }: Request, sinceSeconds: number | undefined): void {
    if (this.#isLost("held")) return;
    const { held } = this.#options.index;
    if (sinceSeconds === undefined) held.delete(workloadKey(workload));
    else held.set(workloadKey(workload), sinceSeconds);
  }

  reconciled({ workload }: Request): void {
    if (!this.#isLost("looked")) this.#options.index.records?.unreconciled.delete(workloadKey(workload));
  }

  #isLost(call: string): boolean {
    try {
      this.#options.before?.(call);
      return false;
    } catch {
      return true;
    }
  }
}
