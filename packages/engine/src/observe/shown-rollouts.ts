import type { RolloutState } from "@fleet-reloader/domain/rollout-state/rollout-state";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import { type ClusterId, type Request, requestKey } from "../ports/request.ts";

/** The most rollouts that are awaited at the same time; those of the oldest rolls are read instead. */
const awaitedMax = 10_000;

/** A rollout as the watch last showed it. */
export interface ShownRollout {
  readonly uid: string;
  readonly state: RolloutState;
  /** Milliseconds since the watch first showed that its controller has begun. Undefined: it has not. */
  readonly begunMs: number | undefined;
}

/** A roll whose rollout is awaited. */
export interface AwaitedRoll {
  readonly rolledAtMs: number;
  readonly uid: string;
  /** The generation that the roll produced: an older generation shows the rollout before. */
  readonly generation: number;
}

interface Awaited extends AwaitedRoll {
  /** Undefined: since the roll no state was shown that counts. */
  state: RolloutState | undefined;
  /** Monotonic: when the watch first showed that its controller has begun. */
  begunAtMs: number | undefined;
}

/**
 * The rollouts of this process's own rolls, as its watches show them. A watch may be late or stopped: an end that it shows has come, and
 * an end that it does not show may have come, too.
 */
export class ShownRollouts {
  readonly #awaited = new RecentMap<string, Awaited>(awaitedMax);
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  await(request: Request, roll: AwaitedRoll): void {
    this.#awaited.set(requestKey(request), { ...roll, state: undefined, begunAtMs: undefined });
  }

  show(cluster: ClusterId, live: LiveWorkload, kind: WorkloadKind): void {
    const awaited = this.#awaited.get(requestKey({ cluster, workload: live.ref }));
    if (awaited === undefined || live.generation < awaited.generation) return;
    // The state of a paused workload depends on who paused it.
    const isTold = live.uid === awaited.uid && !live.isPaused;
    awaited.state = isTold ? kind.rolloutState(live.object, live.templateOwner?.generation) : undefined;
    if (awaited.state !== undefined && hasBegun(awaited.state)) awaited.begunAtMs ??= this.#clock.monotonic();
  }

  /** Undefined: the watches have not shown it, or another process has made a newer roll. */
  of(request: Request, run: Pick<AwaitedRoll, "rolledAtMs">): ShownRollout | undefined {
    const awaited = this.#awaited.get(requestKey(request));
    if (awaited?.state === undefined || awaited.rolledAtMs !== run.rolledAtMs) return undefined;
    const { begunAtMs, state, uid } = awaited;
    const begunMs = begunAtMs === undefined ? undefined : this.#clock.monotonic() - begunAtMs;
    return { uid, state, begunMs };
  }

  forget(cluster: ClusterId, ref: WorkloadRef): void {
    this.#awaited.delete(requestKey({ cluster, workload: ref }));
  }
}

function hasBegun(state: RolloutState): boolean {
  return state.type !== "progressing" || state.isUnobserved !== true;
}
