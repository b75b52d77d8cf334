import { hasBegun, type RolloutState } from "@fleet-reloader/domain/rollout-state/rollout-state";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import { type ClusterId, type Request, requestKey } from "../ports/request.ts";

/** The most rollouts that are awaited at the same time; those of the oldest rolls are read instead. */
const awaitedMax = 10_000;

/** The watch may show a roll before its PATCH is answered: so many of the workloads shown last are kept until then. */
const earlyMax = 1000;

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

/** The state of a rollout at a generation. */
interface ShownState {
  readonly uid: string;
  readonly generation: number;
  /** Undefined: the workload is paused, so its state depends on who paused it. */
  readonly state: RolloutState | undefined;
}

interface Awaited extends AwaitedRoll {
  shown: ShownState | undefined;
  /** Monotonic: when the watch first showed that its controller has begun. */
  begunAtMs: number | undefined;
}

/**
 * The rollouts of this process's own rolls, as its watches show them. A watch may be late or stopped: an end that it shows has come, and
 * an end that it does not show may have come, too.
 */
export class ShownRollouts {
  readonly #awaited = new RecentMap<string, Awaited>(awaitedMax);
  readonly #early = new RecentMap<string, ShownState>(earlyMax);
  readonly #clock: Pick<Clock, "monotonic">;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  await(request: Request, roll: AwaitedRoll): void {
    const key = requestKey(request);
    const shown = this.#awaited.get(key)?.shown ?? this.#early.get(key);
    this.#early.delete(key);
    const awaited: Awaited = { ...roll, shown: undefined, begunAtMs: undefined };
    this.#awaited.set(key, awaited);
    if (shown !== undefined) this.#show(awaited, shown);
  }

  show(cluster: ClusterId, live: LiveWorkload, kind: WorkloadKind): void {
    const { generation, isPaused, object, templateOwner, uid } = live;
    const state = isPaused ? undefined : kind.rolloutState(object, templateOwner?.generation);
    const shown = { uid, generation, state };
    const key = requestKey({ cluster, workload: live.ref });
    const awaited = this.#awaited.get(key);
    if (awaited === undefined) this.#early.set(key, shown);
    else this.#show(awaited, shown);
  }

  /** Undefined: the watches have not shown it, or another process has made a newer roll. */
  of(request: Request, run: Pick<AwaitedRoll, "rolledAtMs">): ShownRollout | undefined {
    const awaited = this.#awaited.get(requestKey(request));
    const state = awaited && stateSince(awaited);
    if (state === undefined || awaited?.rolledAtMs !== run.rolledAtMs) return undefined;
    const { begunAtMs, uid } = awaited;
    const begunMs = begunAtMs === undefined ? undefined : this.#clock.monotonic() - begunAtMs;
    return { uid, state, begunMs };
  }

  /** The cluster is no longer watched. */
  leave(cluster: ClusterId): void {
    const prefix = `${cluster}/`;
    for (const shown of [this.#awaited, this.#early])
      for (const key of shown.keys()) if (key.startsWith(prefix)) shown.delete(key);
  }

  forget(cluster: ClusterId, ref: WorkloadRef): void {
    const key = requestKey({ cluster, workload: ref });
    this.#awaited.delete(key);
    this.#early.delete(key);
  }

  #show(awaited: Awaited, shown: ShownState): void {
    awaited.shown = shown;
    const state = stateSince(awaited);
    if (state !== undefined && hasBegun(state)) awaited.begunAtMs ??= this.#clock.monotonic();
  }
}

/** Undefined: since the roll no state was shown that counts. */
function stateSince({ generation, shown, uid }: Awaited): RolloutState | undefined {
  return shown?.uid === uid && shown.generation >= generation ? shown.state : undefined;
}
