import type { RolloutState } from "@fleet-reloader/domain/rollout-state/rollout-state";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import { RecentMap } from "../recent-map.ts";

/** Rollouts that are awaited at once; those of the oldest rolls are read instead. */
const awaitedMax = 10_000;

/** A rollout as the watch showed it last. */
export interface ShownRollout {
  readonly uid: string;
  readonly state: RolloutState;
}

interface Awaited {
  readonly uid: string;
  /** What the roll made of the workload: an older generation shows the rollout before. */
  readonly generation: number;
  shown: ShownRollout | undefined;
}

/**
 * The rollouts of this process's own rolls, as its watches show them. A watch may be late or may have stopped: an end that it shows has
 * come, and an end that it does not show may have come, too.
 */
export class ShownRollouts {
  readonly #awaited = new RecentMap<string, Awaited>(awaitedMax);

  /** The workload was rolled: `rolled` is the answer to the write. */
  await({ cluster }: Request, rolled: LiveWorkload): void {
    const { ref, uid, generation } = rolled;
    this.#awaited.set(rolloutKey(cluster, ref), { uid, generation, shown: undefined });
  }

  show(cluster: ClusterId, live: LiveWorkload, kind: WorkloadKind): void {
    const awaited = this.#awaited.get(rolloutKey(cluster, live.ref));
    if (awaited === undefined || live.generation < awaited.generation) return;
    // What a paused workload shows depends on who paused it.
    const isTold = live.uid === awaited.uid && !live.isPaused;
    awaited.shown = isTold ? { uid: live.uid, state: kind.rolloutState(live.object) } : undefined;
  }

  /** Undefined: the watches have not shown it. */
  of({ cluster, workload }: Request): ShownRollout | undefined {
    return this.#awaited.get(rolloutKey(cluster, workload))?.shown;
  }

  forget(cluster: ClusterId, ref: WorkloadRef): void {
    this.#awaited.delete(rolloutKey(cluster, ref));
  }
}

function rolloutKey(cluster: ClusterId, ref: WorkloadRef): string {
  return `${cluster}/${workloadKey(ref)}`;
}
