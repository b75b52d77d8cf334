import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { RolloutRun, RolloutRuns, StartedRun } from "@fleet-reloader/engine/follow/rollout-runs";
import type { Request } from "@fleet-reloader/engine/ports/request";
import { isSame } from "./memory-workload.ts";

/** The rollouts that are followed, where a test can look at them and take them away. */
export class MemoryRolloutRuns implements RolloutRuns {
  readonly #runs = new Map<string, RolloutRun>();

  async start(started: readonly StartedRun[]): Promise<void> {
    for (const { request, run } of started) this.#runs.set(keyOf(request), run);
  }

  async find(request: Request): Promise<RolloutRun | undefined> {
    return this.#runs.get(keyOf(request));
  }

  async end(request: Request, run: RolloutRun): Promise<boolean> {
    const current = this.#runs.get(keyOf(request));
    if (current !== undefined && !isSame(current, run)) return false;
    this.#runs.delete(keyOf(request));
    return true;
  }

  /** All is gone, as after FLUSHALL. */
  wipe(): void {
    this.#runs.clear();
  }

  /** Rollouts that are unfinished. */
  get size(): number {
    return this.#runs.size;
  }
}

function keyOf({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}
