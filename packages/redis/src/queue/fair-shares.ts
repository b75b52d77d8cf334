import {
  type Backlog,
  defaultShare,
  forgive,
  type Share,
  takeRanks,
} from "@fleet-reloader/domain/fair-share";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Addition, Purpose } from "@fleet-reloader/engine/ports/workqueue";

/** Above this many flows, the forgiven ones are removed. */
const flowsKept = 1000;

/** BullMQ's maximum priority (its PRIORITY_LIMIT). With 32 requests per rank a flow reaches it after 33 million requests. */
const priorityMax = 2 ** 21 - 1;
/**
 * A check of a rollout lets this many requests of each flow go first, so that it delays no roll. It does not wait for all of them: its result
 * frees budgets, and a cluster in adoption or in a storm may queue tens of thousands.
 */
const beforeFollow = 1024;

/** Ranks the additions to the queue, so that a storm in one cluster does not delay requests of another. */
export class FairShares {
  readonly #clock: Clock;
  readonly #share: Share;
  readonly #flows = new Map<string, Backlog>();
  #pruneAt = flowsKept;

  constructor(clock: Clock, share: Share = defaultShare) {
    this.#clock = clock;
    this.#share = share;
  }

  /** The BullMQ priority of each addition: 0 is none and runs first, then 1, 2, …. */
  priorities(additions: readonly Addition[]): readonly number[] {
    const now = this.#clock.monotonic();
    const byFlow = Map.groupBy(additions.keys(), (at) => flowOf(additions[at]));
    const priorities = additions.map(() => 0);
    for (const [flow, positions] of byFlow) {
      const count = positions.length;
      const { backlog, ranks } = takeRanks(this.#flows.get(flow), { count, now, share: this.#share });
      this.#flows.set(flow, backlog);
      positions.forEach((at, i) => {
        priorities[at] = Math.min(priorityMax, (ranks[i] ?? 0) + this.#leastOf(additions[at]?.purpose));
      });
    }
    if (this.#flows.size > this.#pruneAt) this.#prune(now);
    return priorities;
  }

  /** The number of remembered flows. */
  get flows(): number {
    return this.#flows.size;
  }

  /** Requests that may roll run before those that only record. Both run before those that only observe, unless there are too many. */
  #leastOf(purpose: Purpose | undefined): number {
    if (purpose === "follow" || purpose === "audit") return Math.ceil(beforeFollow / this.#share.size);
    return purpose === "adoption" ? 1 : 0;
  }

  /** Removes the flows of clusters that are gone. */
  #prune(now: number): void {
    for (const [flow, backlog] of this.#flows)
      if (forgive(backlog, now, this.#share).requests === 0) this.#flows.delete(flow);
    this.#pruneAt = Math.max(flowsKept, 2 * this.#flows.size);
  }
}

/** The purpose is part of the flow: a new cluster has thousands of workloads to adopt, and its first change must not wait behind them. */
function flowOf(addition: Addition | undefined): string {
  return `${addition?.purpose}|${addition?.request.cluster}`;
}
