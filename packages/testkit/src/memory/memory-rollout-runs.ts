import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type {
  EndedRun,
  LeftRun,
  RolloutRun,
  RolloutRuns,
  StartedRun,
} from "@fleet-reloader/engine/follow/rollout-runs";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import { isSame } from "./memory-workload.ts";

/** The rollouts that are followed, where a test can look at them and take them away. */
export class MemoryRolloutRuns implements RolloutRuns {
  readonly #runs = new Map<string, RolloutRun>();
  readonly #left = new Map<string, { readonly request: Request; readonly lookAtMs: number }>();

  async start(started: readonly StartedRun[]): Promise<void> {
    for (const { request, run, lookAtMs } of started) {
      this.#runs.set(keyOf(request), run);
      if (lookAtMs !== undefined) this.#left.set(keyOf(request), { request, lookAtMs });
    }
  }

  async find(request: Request): Promise<RolloutRun | undefined> {
    return this.#runs.get(keyOf(request));
  }

  async end(ended: readonly EndedRun[]): Promise<readonly boolean[]> {
    return ended.map((one) => this.#end(one));
  }

  #end({ kept, request, run }: EndedRun): boolean {
    const current = this.#runs.get(keyOf(request));
    if (current !== undefined && !isSame(current, run)) return false;
    if (current !== undefined && kept !== undefined) {
      this.#runs.set(keyOf(request), kept.run);
      this.#left.set(keyOf(request), { request, lookAtMs: kept.lookAtMs });
      return true;
    }
    this.#runs.delete(keyOf(request));
    this.#left.delete(keyOf(request));
    return true;
  }

  async leave(left: readonly LeftRun[]): Promise<readonly boolean[]> {
    return left.map((one) => this.#leave(one));
  }

  #leave({ lookAtMs, request, run }: LeftRun): boolean {
    const current = this.#runs.get(keyOf(request));
    if (current === undefined || !isSame(current, run)) return false;
    this.#left.set(keyOf(request), { request, lookAtMs });
    return true;
  }

  async due(cluster: ClusterId, untilMs: number): Promise<readonly StartedRun[]> {
    const due = [...this.#left.values()].filter(
      ({ request, lookAtMs }) => request.cluster === cluster && lookAtMs <= untilMs,
    );
    return due
      .sort((one, other) => one.lookAtMs - other.lookAtMs)
      .flatMap(({ request }) => {
        const run = this.#runs.get(keyOf(request));
        return run === undefined ? [] : [{ request, run }];
      });
  }

  /** All is gone, as after FLUSHALL. */
  wipe(): void {
    this.#runs.clear();
    this.#left.clear();
  }

  /** Rollouts that have ended badly and may recover. */
  get kept(): number {
    return this.#runs.size - this.size;
  }

  /** Rollouts that are unfinished. */
  get size(): number {
    return [...this.#runs.values()].filter(({ badEnd }) => badEnd === undefined).length;
  }
}

function keyOf({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}
