import type { BudgetLimit } from "@fleet-reloader/domain/hold/budget";
import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import {
  type ActedOn,
  blockersMax,
  type LedgerHold,
  type LedgerVerdict,
  type RollLedger,
  type RollLimits,
} from "@fleet-reloader/engine/admission/roll-ledger";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Request } from "@fleet-reloader/engine/ports/request";
import {
  askBreaker,
  type BreakerState,
  closedBreaker,
  forgetRoll,
} from "../roll-ledger-model/breaker-model.ts";
import {
  askBudget,
  type BudgetAsk,
  type BudgetState,
  emptyBudget,
  endRollout,
  giveBack,
  leaveLine,
  spendBudget,
} from "../roll-ledger-model/budget-model.ts";

interface Level {
  readonly name: "fleet" | "cluster" | "namespace";
  readonly key: string;
  readonly limit: BudgetLimit;
  readonly ask: BudgetAsk;
}

/** The ledger of rolls in memory: the models of breaker and budget, put together as the Lua scripts do. */
export class MemoryRollLedger implements RollLedger {
  readonly #clock: Pick<Clock, "now">;
  readonly #limits: RollLimits;
  readonly #breakers = new Map<string, BreakerState>();
  readonly #budgets = new Map<string, BudgetState>();
  #sinceMs: number | undefined;

  constructor(options: { readonly clock: Pick<Clock, "now">; readonly limits: RollLimits }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
  }

  /** Everything it remembers is lost. */
  wipe(): void {
    this.#breakers.clear();
    this.#budgets.clear();
    this.#sinceMs = undefined;
  }

  async admit(request: Request, sources: readonly ActedOn[]): Promise<LedgerVerdict> {
    this.#sinceMs ??= this.#clock.now();
    return this.#ask(request, sources, {
      breaker: (id, state) => this.#breakers.set(id, state),
      budget: (key, state) => this.#budgets.set(key, state),
    });
  }

  async check(request: Request, sources: readonly ActedOn[]): Promise<LedgerVerdict> {
    return this.#ask(request, sources, { breaker: () => undefined, budget: () => undefined });
  }

  async withdraw(request: Request): Promise<void> {
    const id = breakerOf(request);
    const state = this.#breakers.get(id);
    if (state !== undefined) this.#breakers.set(id, forgetRoll(state));
    for (const { key, limit, ask } of this.#levels(request))
      this.#change(key, (budget) => giveBack(budget, limit, ask.roll, this.#clock.now()));
  }

  async settled(request: Request, ageMs: number): Promise<void> {
    for (const { key, ask } of this.#levels(request))
      this.#change(key, (budget) => endRollout(budget, ask.roll, ageMs, this.#clock.now()));
  }

  #ask(request: Request, sources: readonly ActedOn[], keep: Keeping): LedgerVerdict {
    const nowMs = this.#clock.now();
    const passed = this.#askBreakers(request, sources, { nowMs, keep });
    if ("type" in passed) return passed;
    const asked = this.#levels(request).map((level) => ({
      level,
      ...askBudget(this.#budget(level.key, nowMs), level.limit, level.ask, nowMs),
    }));
    const short = asked.flatMap(({ level, answer, state }) =>
      answer.type === "short" ? [{ level, answer, state }] : [],
    );
    const longest = short.toSorted((one, other) => other.answer.afterMs - one.answer.afterMs)[0];
    for (const { level, state } of asked) {
      const { key, limit, ask } = level;
      if (longest === undefined) keep.budget(key, spendBudget(state, limit, ask, nowMs));
      else keep.budget(key, level === longest.level ? state : leaveLine(state, ask.roll));
    }
    if (longest !== undefined) {
      const { level, answer, state } = longest;
      const reason = answer.of === "rate" ? "BudgetRate" : "BudgetUnfinished";
      const unfinished = answer.of === "unfinished" ? unfinishedOf(state, level.ask) : [];
      const blockedBy = unfinished.length === 0 ? {} : { blockedBy: unfinished };
      return { type: "hold", reason, what: level.name, afterMs: answer.afterMs, ...blockedBy };
    }
    for (const [id, state] of passed) keep.breaker(id, state);
    return { type: "go" };
  }

  #change(key: string, how: (budget: BudgetState) => BudgetState): void {
    const budget = this.#budgets.get(key);
    if (budget !== undefined) this.#budgets.set(key, how(budget));
  }

  #askBreakers(
    request: Request,
    sources: readonly ActedOn[],
    { nowMs, keep }: { readonly nowMs: number; readonly keep: Keeping },
  ): ReadonlyMap<string, BreakerState> | LedgerHold {
    const { sourceBreaker, workloadBreaker } = this.#limits;
    const asks = [
      ...sources.map(({ id, version }) => ({
        ...{ key: `${request.cluster}|${id}`, limit: sourceBreaker, version },
        ...({ reason: "SourceLooping", what: id } as const),
      })),
      {
        ...{ key: breakerOf(request), limit: workloadBreaker, version: undefined },
        ...({ reason: "WorkloadLooping", what: workloadKey(request.workload) } as const),
      },
    ];
    const passed = new Map<string, BreakerState>();
    for (const { key, limit, version, reason, what } of asks) {
      if (limit === undefined) continue;
      const answer = askBreaker(this.#breakers.get(key) ?? closedBreaker, limit, nowMs, version);
      if (answer.heldUntilMs !== undefined) {
        keep.breaker(key, answer.state);
        const untilMs = answer.heldUntilMs;
        return { type: "hold", reason, what, afterMs: untilMs - nowMs, untilMs, limit };
      }
      passed.set(key, answer.state);
    }
    return passed;
  }

  #levels({ cluster, workload }: Request): readonly Level[] {
    const roll = `${cluster}|${workloadKey(workload)}`;
    const inNamespace = `${cluster}|${workload.namespace}`;
    const { fleet, cluster: ofCluster, namespace } = this.#limits;
    return [
      ...level("fleet", "fleet", fleet, { roll, share: inNamespace }),
      ...level("cluster", `c:${cluster}`, ofCluster, { roll, share: workload.namespace }),
      ...level("namespace", `n:${inNamespace}`, namespace, { roll, share: "" }),
    ];
  }

  #budget(key: string, nowMs: number): BudgetState {
    return this.#budgets.get(key) ?? emptyBudget(this.#sinceMs ?? nowMs);
  }
}

/** What becomes of the state that an answer leads to. */
interface Keeping {
  readonly breaker: (id: string, state: BreakerState) => void;
  readonly budget: (key: string, state: BudgetState) => void;
}

function level(
  name: Level["name"],
  key: string,
  limit: BudgetLimit | undefined,
  ask: BudgetAsk,
): readonly Level[] {
  return limit === undefined ? [] : [{ name, key, limit, ask }];
}

/** Oldest first; of the same age by name, as Redis has them. */
function unfinishedOf({ leases }: BudgetState, { roll: own }: BudgetAsk): readonly Request[] {
  const oldest = [...leases]
    .toSorted(([a, aMs], [b, bMs]) => aMs - bMs || (a < b ? -1 : 1))
    .map(([roll]) => roll)
    .filter((roll) => roll !== own);
  return oldest.slice(0, blockersMax).flatMap((roll) => {
    const at = roll.lastIndexOf("|");
    const workload = parseWorkloadKey(roll.slice(at + 1));
    return workload === undefined ? [] : [{ cluster: roll.slice(0, at), workload }];
  });
}

function breakerOf({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}
