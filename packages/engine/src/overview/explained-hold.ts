import { describeScope, type Freeze, freezeOf } from "@fleet-reloader/domain/hold/freeze";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { parseWorkloadKey, workloadKey } from "@fleet-reloader/domain/workload/workload";
import { freezeSentence } from "../admission/brakes.ts";
import type { HeldRequest } from "../admission/held-requests.ts";
import type { ClusterOverview, UnfinishedRolls } from "./fleet-overview.ts";

/** A request on hold, with who or what holds it. */
export interface ExplainedHold {
  readonly cluster: string;
  readonly workload: string;
  readonly reason: string;
  /**
   * In words: the freeze with its reason and author, the rollouts that a budget waits for, or the sentence of its Event. Empty: the
   * reason suffices.
   */
  readonly why: string;
  /** RFC 3339; undefined: the end is not known. */
  readonly until: string | undefined;
}

export interface HoldContext {
  /** Undefined: its cluster is no longer registered. */
  readonly cluster: ClusterOverview | undefined;
  readonly freezes: readonly Freeze[];
  /** The sources that the workload uses. */
  readonly sources: readonly SourceRef[];
  readonly unfinished: readonly UnfinishedRolls[];
  readonly nameOf: (cluster: string) => string;
  readonly nowMs: number;
}

/** Explains who or what holds a request. */
export function explainHold(held: HeldRequest, context: HoldContext): ExplainedHold {
  const { request, reason, untilMs } = held;
  const { cluster, nameOf } = context;
  const ends = untilMs ?? frozenBy(held, context)?.untilMs;
  return {
    cluster: nameOf(request.cluster),
    workload: workloadKey(request.workload),
    reason,
    why: cluster === undefined ? "its cluster is not registered" : whyOnHold(held, context),
    until: ends === undefined ? undefined : new Date(ends).toISOString(),
  };
}

function whyOnHold(held: HeldRequest, context: HoldContext): string {
  const { reason } = held;
  if (reason === "Frozen") {
    const freeze = frozenBy(held, context);
    return freeze === undefined
      ? "the freeze is over, or it is being lifted"
      : `${describeScope(freeze.scope)}: ${freeze.reason} (by ${freeze.by})`;
  }
  if (reason !== "BudgetUnfinished") return held.why ?? context.cluster?.status?.why.join("; ") ?? "";
  return context.unfinished
    .filter(({ requests }) => requests.length > 0)
    .map(({ level, requests }) => {
      const names = requests.map((one) => `${workloadKey(one.workload)} of ${context.nameOf(one.cluster)}`);
      return `unfinished in the ${level}: ${names.join(", ")}`;
    })
    .join("; ");
}

/**
 * The freeze that the hold began with, while it is in force. It is not known here which source changed, and another freeze may cover a
 * source that the workload uses.
 */
function frozenBy({ request, frozenBy: keys, why }: HeldRequest, context: HoldContext): Freeze | undefined {
  const { freezes, sources, nowMs, nameOf } = context;
  const clusterLabels = context.cluster?.labels ?? {};
  const templateOwner = parseWorkloadKey(keys?.[0] ?? "");
  const named = { clusterName: nameOf(request.cluster), clusterLabels };
  const target = { ...request, ...named, templateOwner, sources };
  // The queue keeps only the beginning of a long sentence.
  const first = freezes.filter((freeze) => why !== undefined && freezeSentence(freeze).startsWith(why));
  return freezeOf(first, target, nowMs) ?? freezeOf(freezes, target, nowMs);
}
