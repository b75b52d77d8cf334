import { type Freeze, type FreezeTarget, freezeOf } from "@fleet-reloader/domain/hold/freeze";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock, Random } from "../async/clock.ts";
import type { Admit } from "../ports/cluster-api.ts";
import type { ClusterId, OnHold, Request, Verdict } from "../ports/request.ts";
import type { Freezes } from "./freezes.ts";
import type { LedgerHold, RollLedger } from "./roll-ledger.ts";

/** A roll that has been decided and not yet written. */
export interface RollIntent {
  readonly request: Request;
  readonly clusterName: string;
  readonly clusterLabels: Labels;
  /** The object that the workload refers to for its pod template, if it does. */
  readonly templateOwner: WorkloadRef | undefined;
  /** Undefined: no annotation freezes it. */
  readonly frozenBy: AnnotationFreeze | undefined;
  readonly sources: readonly IntendedSource[];
}

/** The objects whose annotations freeze a roll: its workload, the owner of the pod template, or changed sources. */
export interface AnnotationFreeze {
  /** For people. */
  readonly why: string;
  readonly objects: readonly string[];
}

/** A changed source, the keys of it that the workload uses, and the keyed digest of their content. */
export interface IntendedSource {
  readonly ref: SourceRef;
  readonly through: string;
  readonly version: string;
}

/** Why a roll is not written now. */
export interface RollHold extends OnHold<HoldReason> {
  /** For people: who or what holds it, until when, and what to do about it. */
  readonly why: string;
  /** For people: details that may differ each time the roll is asked for, and are no news by themselves. */
  readonly details?: string | undefined;
}

/** A roll that may be written. */
export interface AdmittedRoll {
  /** Ask again immediately before the write is sent: a freeze may have been set meanwhile. */
  readonly admit: Admit;
}

/** Admits writes that roll, immediately before they are sent. Records, adoption and the end of a pause are no rolls. */
export interface Brakes {
  admit(intent: RollIntent, signal: AbortSignal): Promise<Verdict<AdmittedRoll, RollHold>>;
  /** What `admit` would answer now. Counts and writes nothing. */
  check(intent: RollIntent, signal: AbortSignal): Promise<Verdict<unknown, RollHold>>;
  /** An admitted roll was certainly not written: refunds what it took. */
  withdraw(request: Request): Promise<void>;
  /** The rollout that began this long ago has ended, well or badly. */
  settled(request: Request, ageMs: number): Promise<void>;
}

export interface BrakeOptions {
  readonly freezes: Freezes;
  readonly ledger: RollLedger;
  readonly clock: Clock;
  readonly random: Random;
  /** The display name of a cluster; absent: its id is shown. */
  readonly nameOf?: (cluster: ClusterId) => string;
}

/** How often a frozen workload is asked about: often enough after a freeze is lifted, and affordable for 10,000 workloads. */
const frozenMs = 10_000;
/** Older readings of the freezes are repeated before a write: a freeze may have been set while Redis or a connection was slow. */
const freezeFreshMs = 20;

/** Freeze before breaker before budget: a frozen roll takes nothing from a budget. */
export function createBrakes(options: BrakeOptions): Brakes {
  const { clock, ledger, random, nameOf = (cluster) => cluster } = options;
  return {
    async admit(intent, signal) {
      const frozen = await freezeHold(intent, options);
      if (frozen !== undefined) return frozen;
      let readAt = clock.monotonic();
      const counted = await ledger.admit(intent.request, intent.sources.map(actedOn), signal);
      if (counted.type === "hold") return ledgerHold(counted, random, nameOf);
      /** Reads the freezes again unless they were read a moment ago. */
      const freezeAgain = async () => {
        if (clock.monotonic() - readAt <= freezeFreshMs) return undefined;
        readAt = clock.monotonic();
        return await freezeHold(intent, options);
      };
      const late = await freezeAgain();
      if (late !== undefined) await ledger.withdraw(intent.request);
      return late ?? { type: "go", admit: async () => ((await freezeAgain()) === undefined ? "go" : "hold") };
    },
    async check(intent, signal) {
      const frozen = await freezeHold(intent, options);
      if (frozen !== undefined) return frozen;
      const counted = await ledger.check(intent.request, intent.sources.map(actedOn), signal);
      return counted.type === "hold" ? ledgerHold(counted, random, nameOf) : { type: "go" };
    },
    withdraw: (request) => ledger.withdraw(request),
    settled: (request, ageMs) => ledger.settled(request, ageMs),
  };
}

async function freezeHold(
  intent: RollIntent,
  { clock, freezes, random }: BrakeOptions,
): Promise<RollHold | undefined> {
  const afterMs = Math.ceil(frozenMs * (0.5 + random()));
  const { frozenBy } = intent;
  if (frozenBy !== undefined) {
    const { why, objects } = frozenBy;
    return { type: "hold", reason: "FrozenByAnnotation", why, afterMs, frozenBy: objects };
  }
  const frozen = await freezes.now();
  if (frozen.type === "unreadable")
    return { type: "hold", reason: "FreezeUnreadable", why: frozen.why, afterMs };
  const found = freezeOf(frozen.freezes, targetOf(intent), clock.now());
  if (found === undefined) return undefined;
  const { untilMs } = found;
  const why = freezeSentence(found);
  const leftMs = untilMs === undefined ? afterMs : Math.max(1, untilMs - clock.now());
  const { templateOwner } = intent;
  const owners = templateOwner && { frozenBy: [workloadKey(templateOwner)] };
  return { type: "hold", reason: "Frozen", why, afterMs: Math.min(afterMs, leftMs), untilMs, ...owners };
}

/** Why a freeze holds, who set it, and until when. */
export function freezeSentence({ reason, by, untilMs }: Freeze): string {
  return `${reason} (by ${by}${untilMs === undefined ? "" : `, until ${new Date(untilMs).toISOString()}`})`;
}

/** Precedes the names of the workloads, of any cluster and namespace, whose rolls hold another. */
export const unfinishedWords = "unfinished: ";

/** Requests held by a budget come back at a time of their own. When a breaker closes, its requests come back at random times. */
function ledgerHold(held: LedgerHold, random: Random, nameOf: (cluster: ClusterId) => string): RollHold {
  const { reason, afterMs, untilMs, blockedBy } = held;
  const why = whyHeld(held);
  if (untilMs !== undefined) {
    const jitterMs = Math.ceil(Math.min(1000, afterMs / 10) * random());
    return { type: "hold", reason, why, afterMs: afterMs + jitterMs, untilMs };
  }
  const names = blockedBy?.map(({ cluster, workload }) => `${workloadKey(workload)} of ${nameOf(cluster)}`);
  const details = names && `${unfinishedWords}${names.join(", ")}`;
  return { type: "hold", reason, why, afterMs, details };
}

function targetOf(intent: RollIntent): FreezeTarget {
  const { request, clusterName, clusterLabels, templateOwner } = intent;
  const sources = intent.sources.map(({ ref }) => ref);
  return { ...request, clusterName, clusterLabels, templateOwner, sources };
}

function actedOn({ ref, through, version }: IntendedSource) {
  return { id: `${sourceKey(ref)}${through === "" ? "" : `|${through}`}`, version };
}

function whyHeld({ reason, what, limit }: LedgerHold): string {
  const often = limit === undefined ? "" : `${limit.rollsMax} times in ${lengthOf(limit.withinMs)}`;
  switch (reason) {
    case "SourceLooping":
      return `the breaker of ${what} is open: its content changed more than ${often}; stop what rewrites it, or raise --breaker-source`;
    case "WorkloadLooping":
      return `the breaker of ${what} is open: it was rolled ${often}, which is the most that is allowed; stop what changes its sources, or raise --breaker-workload`;
    case "BudgetRate":
      return `the ${what}'s budget of rolls for this time is spent`;
    case "BudgetUnfinished":
      return `as many rollouts of the ${what} are unfinished as its budget allows`;
    default:
      return what;
  }
}

/** A duration in the format of the flags: `10m`, `1h`, `90s`. */
function lengthOf(ms: number): string {
  const [unit, unitMs] =
    (
      [
        ["h", 3_600_000],
        ["m", 60_000],
        ["s", 1000],
      ] as const
    ).find(([, size]) => ms % size === 0) ?? (["ms", 1] as const);
  return `${ms / unitMs}${unit}`;
}
