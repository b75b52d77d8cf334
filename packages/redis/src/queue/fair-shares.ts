import {
  type Backlog,
  defaultShare,
  forgive,
  type Share,
  takeRanks,
} from "@fleet-reloader/domain/fair-share";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Addition, Purpose } from "@fleet-reloader/engine/ports/workqueue";

/** So many flows may lie there before those that are forgiven are looked for. */
const flowsKept = 1000;

/** Where BullMQ's priorities end (its PRIORITY_LIMIT). With 32 to a rank a flow comes there after 33 million requests. */
const priorityMax = 2 ** 21 - 1;
/**
 * A look at a rollout lets so many requests of each flow go first, so that it delays no roll. It does not let all go: what it finds
 * gives budgets back, and a cluster that is adopted or in a storm may ask for tens of thousands.
 */
const beforeFollow = 1024;

/** Ranks what is put into the queue, so that no cluster's storm keeps another's request waiting. */
export class FairShares {
  readonly #clock: Clock;
  readonly #share: Share;
  readonly #flows = new Map<string, Backlog>();
  #pruneAt = flowsKept;

  constructor(clock: Clock, share: Share = defaultShare) {
    this.#clock = clock;
    this.#share = share;
  }

  /** The priority of each addition in BullMQ's sense: 0 is none and runs first, then 1, 2, …. */
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

  /** How many flows are remembered. */
  get flows(): number {
    return this.#flows.size;
  }

  /** What may end in a roll runs before what only notes, and both, as long as they are not too many, before what only looks on. */
  #leastOf(purpose: Purpose | undefined): number {
    if (purpose === "follow" || purpose === "audit") return Math.ceil(beforeFollow / this.#share.size);
    return purpose === "adoption" ? 1 : 0;
  }

  /** Clusters come and go. */
  #prune(now: number): void {
    for (const [flow, backlog] of this.#flows)
      if (forgive(backlog, now, this.#share).requests === 0) this.#flows.delete(flow);
    this.#pruneAt = Math.max(flowsKept, 2 * this.#flows.size);
  }
}

/** By purpose, too: a cluster that is new has thousands of workloads to adopt, and its first change must not queue up there. */
function flowOf(addition: Addition | undefined): string {
  return `${addition?.purpose}|${addition?.request.cluster}`;
}
