import {
  type Backlog,
  defaultShare,
  forgive,
  type Share,
  takeRanks,
} from "@fleet-reloader/domain/fair-share";
import type { Clock } from "@fleet-reloader/engine/clock";
import type { Addition, Purpose } from "@fleet-reloader/engine/workqueue";

/** So many flows may lie there before those that are forgiven are looked for. */
const flowsKept = 1000;

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
        priorities[at] = (ranks[i] ?? 0) + leastOf(additions[at]?.purpose);
      });
    }
    if (this.#flows.size > this.#pruneAt) this.#prune(now);
    return priorities;
  }

  /** How many flows are remembered. */
  get flows(): number {
    return this.#flows.size;
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

/** What may end in a roll runs before what only looks. */
function leastOf(purpose: Purpose | undefined): number {
  return purpose === "change" || purpose === "resume" ? 0 : 1;
}
