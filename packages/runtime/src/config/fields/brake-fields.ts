import { parseDuration } from "@fleet-reloader/domain/duration";
import type { BreakerLimit } from "@fleet-reloader/domain/hold/breaker";
import type { BudgetLimit, BudgetRate } from "@fleet-reloader/domain/hold/budget";
import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import { type ConfigOf, type GroupedMeta, inGroup } from "../field.ts";
import { type Problem, parsedText } from "../types.ts";

/**
 * A hundred in an hour: neither manual changes nor a stepwise release reach this number. A source that is rewritten for ever reaches it in three
 * minutes, or within the hour with the default maximum wait (120 an hour).
 */
const breakerDefault = "100/1h";

const rateUnitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Limits of rolls. All workers of a Redis need the same values. */
export const brakeFields = inGroup("Brakes", {
  breakerWorkload: {
    schema: breaker(),
    meta: breakerMeta(
      "breaker-workload",
      "Maximum rolls of one workload in this period. Above it the workload is held and rolled with growing pauses of up to five minutes. 0 means no limit.",
    ),
  },
  breakerSource: {
    schema: breaker(),
    meta: breakerMeta(
      "breaker-source",
      "Maximum changes of one source in this period. Above it all workloads that use the source are held and rolled with growing pauses of up to five minutes. 0 means no limit.",
    ),
  },
  budgetFleet: { schema: budget(), meta: budgetMeta("budget-fleet", "the fleet") },
  budgetCluster: { schema: budget(), meta: budgetMeta("budget-cluster", "each cluster") },
  budgetNamespace: {
    schema: budget(),
    meta: budgetMeta("budget-namespace", "each namespace of each cluster"),
  },
});

/** The limits in force. */
export function rollLimitsOf(config: ConfigOf<typeof brakeFields>): RollLimits {
  const { breakerWorkload, breakerSource, budgetFleet, budgetCluster, budgetNamespace } = config;
  return {
    ...(breakerWorkload === undefined ? {} : { workloadBreaker: breakerWorkload }),
    ...(breakerSource === undefined ? {} : { sourceBreaker: breakerSource }),
    ...(budgetFleet === undefined ? {} : { fleet: budgetFleet }),
    ...(budgetCluster === undefined ? {} : { cluster: budgetCluster }),
    ...(budgetNamespace === undefined ? {} : { namespace: budgetNamespace }),
  };
}

function breakerMeta(flag: string, description: string): GroupedMeta {
  return {
    flag,
    placeholder: "ROLLS/DURATION",
    description,
  };
}

function budgetMeta(flag: string, what: string): GroupedMeta {
  return {
    flag,
    placeholder: "LIMITS",
    defaultText: "no limit",
    description: `Limits of rolls in ${what}: unfinished=ROLLOUTS at once, rate=ROLLS/s, /m, /h or /d, burst=ROLLS at once after a quiet time. For example unfinished=5,rate=30/m.`,
  };
}

function breaker() {
  return parsedText(breakerDefault, (text): BreakerLimit | undefined | Problem => {
    if (text === "0") return undefined;
    const [, rolls, within] = /^(\d{1,4})\/(\S+)$/.exec(text) ?? [];
    const withinMs = parseDuration(within ?? "") ?? 0;
    if (Number(rolls) >= 1 && withinMs >= 1000) return { rollsMax: Number(rolls), withinMs };
    return { problem: "is no limit; write ROLLS/DURATION, for example 100/1h, or 0 for none" };
  });
}

function budget() {
  return parsedText("", (text): BudgetLimit | undefined | Problem => {
    if (text === "" || text === "0") return undefined;
    const problem = `"${text.slice(0, 100)}" is no budget; write for example unfinished=5,rate=30/m,burst=10`;
    return readBudget(text) ?? { problem };
  });
}

function readBudget(text: string): BudgetLimit | undefined {
  const parts = text.split(",").map((part) => part.trim().split("="));
  const given = new Map(parts.map(([name = "", value = ""]) => [name, value]));
  if (
    given.size !== parts.length ||
    [...given.keys()].some((name) => !/^(unfinished|rate|burst)$/.test(name))
  )
    return undefined;
  const unfinished = given.get("unfinished");
  const rate = given.get("rate");
  const unfinishedMax = positiveNumber(unfinished);
  const perTime = rate === undefined ? undefined : readRate(rate, given.get("burst"));
  if (unfinished !== undefined && unfinishedMax === undefined) return undefined;
  if (perTime === undefined && (rate !== undefined || given.has("burst"))) return undefined;
  return {
    ...(unfinishedMax === undefined ? {} : { unfinishedMax }),
    ...(perTime === undefined ? {} : { rate: perTime }),
  };
}

function readRate(text: string, burstText: string | undefined): BudgetRate | undefined {
  const [, count, unit = ""] = /^(\d+)\/([smhd])$/.exec(text) ?? [];
  const rolls = positiveNumber(count);
  const perMs = rateUnitsMs[unit];
  if (rolls === undefined || perMs === undefined) return undefined;
  // The rolls of one second: a request that comes a moment late loses no rate, and a real burst is impossible.
  const burst =
    burstText === undefined ? Math.max(1, Math.ceil((rolls * 1000) / perMs)) : positiveNumber(burstText);
  return burst === undefined ? undefined : { rolls, perMs, burst };
}

function positiveNumber(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && /^\d{1,6}$/.test(text) && value >= 1 ? value : undefined;
}
