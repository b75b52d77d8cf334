import { Fault } from "@fleet-reloader/domain/fault";
import type { BudgetLimit } from "@fleet-reloader/domain/hold/budget";
import { leaseMs } from "@fleet-reloader/domain/hold/budget";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type {
  ActedOn,
  LedgerVerdict,
  RollLedger,
  RollLimits,
} from "@fleet-reloader/engine/admission/roll-ledger";
import { SharedCalls } from "@fleet-reloader/engine/async/shared-calls";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { enterScript, settledScript, withdrawScript } from "./roll-ledger-scripts.ts";

export interface RedisRollLedgerOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly limits: RollLimits;
  /** Undefined: Redis' own clock, which all workers share. */
  readonly now?: () => number;
}

/** An unused budget is kept until it is full again and its leases are over. After that it equals a new one. */
const keptAtLeastMs = 2 * leaseMs;

/** The ledger of rolls that all workers share: one call of Redis for concurrent requests, and none without limits. */
export class RedisRollLedger implements RollLedger {
  readonly #options: RedisRollLedgerOptions;
  readonly #keepMs: number;
  /** Concurrent rolls of one cluster share a call, and each counts as if it came alone. They do not wait for rolls of another cluster. */
  readonly #admissions: SharedCalls<string, unknown>;

  constructor(options: RedisRollLedgerOptions) {
    this.#options = options;
    const { client, keys } = options;
    this.#admissions = new SharedCalls((_cluster, asks) => askTogether(client, keys.rollLedger, asks));
    const { fleet, cluster, namespace } = options.limits;
    const fillMs = [fleet, cluster, namespace].map((limit) =>
      limit?.rate === undefined ? 0 : (limit.rate.burst * limit.rate.perMs) / limit.rate.rolls,
    );
    this.#keepMs = Math.ceil(Math.max(keptAtLeastMs, ...fillMs));
  }

  async admit(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict> {
    return await this.#ask(request, sources, { signal, isOnly: false });
  }

  async check(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict> {
    return await this.#ask(request, sources, { signal, isOnly: true });
  }

  async withdraw(request: Request): Promise<void> {
    const breakers = this.#workloadBreakers(request);
    if (breakers.length + this.#levels(request).length > 0)
      await this.#run(withdrawScript, request, { breakers });
  }

  async settled(request: Request, ageMs: number): Promise<void> {
    if (this.#levels(request).length > 0) await this.#run(settledScript, request, { age: ageMs });
  }

  async #ask(
    request: Request,
    sources: readonly ActedOn[],
    { signal, isOnly }: { readonly signal: AbortSignal; readonly isOnly: boolean },
  ): Promise<LedgerVerdict> {
    const breakers = [...this.#sourceBreakers(request, sources), ...this.#workloadBreakers(request)];
    const levels = this.#levels(request);
    if (breakers.length + levels.length === 0) return { type: "go" };
    // Commands wait until Redis is back. A request that another worker has taken meanwhile stops waiting.
    const asked = isOnly ? this.#check(request, breakers) : this.#admit(request, breakers);
    const answer = await unlessAborted(asked, signal, "room to roll");
    return verdictOf(Array.isArray(answer) ? answer : [], breakers, levels);
  }

  #admit(request: Request, breakers: readonly Breaker[]): Promise<unknown> {
    return this.#admissions.ask(request.cluster, this.#text(request, { breakers }));
  }

  async #check(request: Request, breakers: readonly Breaker[]): Promise<unknown> {
    const { client, keys } = this.#options;
    const text = this.#text(request, { breakers, only: true });
    const answers = await enterScript.runReadOnly(client.connection, keys.rollLedger, [text]);
    return Array.isArray(answers) ? answers[0] : undefined;
  }

  #run(script: typeof settledScript, request: Request, ask: Ask): Promise<unknown> {
    const { client, keys } = this.#options;
    return script.run(client.connection, keys.rollLedger, [this.#text(request, ask)]);
  }

  #text(request: Request, { breakers = [], ...more }: Ask): string {
    const { now } = this.#options;
    return JSON.stringify({
      ...(now === undefined ? {} : { now: now() }),
      roll: ledgerRollOf(request),
      breakers: breakers.map(({ key, max, within, version }) => ({ key, max, within, version })),
      levels: this.#levels(request),
      keep: this.#keepMs,
      ...more,
    });
  }

  #sourceBreakers({ cluster }: Request, sources: readonly ActedOn[]): readonly Breaker[] {
    const { sourceBreaker: limit } = this.#options.limits;
    if (limit === undefined) return [];
    return sources.map(({ id, version }) => ({
      key: `s|${cluster}|${id}`,
      max: limit.rollsMax,
      within: limit.withinMs,
      version,
      reason: "SourceLooping",
      what: id,
    }));
  }

  #workloadBreakers(request: Request): readonly Breaker[] {
    const { workloadBreaker: limit } = this.#options.limits;
    if (limit === undefined) return [];
    return [
      {
        key: `w|${ledgerRollOf(request)}`,
        max: limit.rollsMax,
        within: limit.withinMs,
        reason: "WorkloadLooping",
        what: workloadKey(request.workload),
      },
    ];
  }

  #levels(request: Request): readonly BudgetLevel[] {
    const { limits } = this.#options;
    return levelsOf(request).flatMap((level) => limited(level, limits[level.name]));
  }
}

interface Ask {
  readonly breakers?: readonly Breaker[];
  /** How long ago the rollout began. */
  readonly age?: number;
  /** Only checks; writes nothing. */
  readonly only?: true;
}

interface Breaker {
  readonly key: string;
  readonly max: number;
  readonly within: number;
  readonly version?: string;
  readonly reason: HoldReason;
  readonly what: string;
}

type RequestLevel = ReturnType<typeof levelsOf>[number];

type BudgetLevel = RequestLevel & {
  readonly unfinished?: number;
  readonly rolls?: number;
  readonly per?: number;
  readonly burst?: number;
};

async function askTogether(
  { connection }: RedisClient,
  ledger: string,
  asks: readonly string[],
): Promise<readonly unknown[]> {
  const answers = await enterScript.run(connection, ledger, asks);
  return Array.isArray(answers) ? answers : [];
}

function verdictOf(
  answer: readonly unknown[],
  breakers: readonly Breaker[],
  levels: readonly BudgetLevel[],
): LedgerVerdict {
  const [type, position, third, fourth, ...unfinished] = answer;
  if (type === "breaker") {
    const breaker = breakers[Number(position) - 1];
    const untilMs = Number(third);
    if (breaker === undefined) throw unreadable();
    const { reason, what, max: rollsMax, within: withinMs } = breaker;
    const limit = { rollsMax, withinMs };
    return { type: "hold", reason, what, afterMs: Math.max(1, untilMs - Number(fourth)), untilMs, limit };
  }
  if (type === "budget") {
    const reason = third === "rate" ? "BudgetRate" : "BudgetUnfinished";
    const what = levels[Number(position) - 1]?.name ?? "fleet";
    const blockedBy = unfinished.map(String).flatMap(requestOf);
    const named = blockedBy.length === 0 ? {} : { blockedBy };
    return { type: "hold", reason, what, afterMs: Number(fourth), ...named };
  }
  if (type === "failed") throw new Fault("engine.invariant", `the ledger of rolls failed: ${position}`);
  if (type !== "entered") throw unreadable();
  return { type: "go" };
}

/** The levels of budgets for a request: each level's key in the ledger, and the share of it that the request takes. */
export function levelsOf({ cluster, workload }: Request) {
  const inNamespace = `${cluster}|${workload.namespace}`;
  return [
    { name: "fleet", key: "fleet", share: inNamespace },
    { name: "cluster", key: `c|${cluster}`, share: workload.namespace },
    { name: "namespace", key: `n|${inNamespace}`, share: "-" },
  ] as const;
}

function limited(level: RequestLevel, limit: BudgetLimit | undefined): readonly BudgetLevel[] {
  if (limit === undefined) return [];
  const { rate, unfinishedMax } = limit;
  return [
    {
      ...level,
      ...(unfinishedMax === undefined ? {} : { unfinished: unfinishedMax }),
      ...(rate === undefined ? {} : { rolls: rate.rolls, per: rate.perMs, burst: rate.burst }),
    },
  ];
}

/** A workload as the ledger names it. */
export function ledgerRollOf({ cluster, workload }: Request): string {
  return `${cluster}|${workloadKey(workload)}`;
}

/** The inverse of `ledgerRollOf`; empty for any other text. */
export function requestOf(roll: string): readonly Request[] {
  const at = roll.lastIndexOf("|");
  const workload = parseWorkloadKey(roll.slice(at + 1));
  return workload === undefined ? [] : [{ cluster: roll.slice(0, at), workload }];
}

function unreadable(): Fault {
  return new Fault("engine.invariant", "the ledger of rolls gave an unknown answer");
}
