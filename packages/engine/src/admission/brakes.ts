import { type FreezeTarget, freezeOf } from "@fleet-reloader/domain/hold/freeze";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock, Random } from "../async/clock.ts";
import type { Admit } from "../ports/cluster-api.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { Freezes } from "./freezes.ts";
import type { Entry, RollLedger } from "./roll-ledger.ts";

/** A roll that has been decided and not been written. */
export interface RollIntent {
  readonly request: Request;
  readonly clusterName: string;
  readonly clusterLabels: Labels;
  /** Why the workload or a changed source says of itself that it is frozen. */
  readonly frozenBy: string | undefined;
  readonly sources: readonly IntendedSource[];
}

/** A changed source: which keys of it matter to the workload, and the keyed digest of what they hold. */
export interface IntendedSource {
  readonly ref: SourceRef;
  readonly through: string;
  readonly version: string;
}

/** Whether a roll may be written now. */
export type Permit =
  | {
      readonly type: "go";
      /** To be asked again immediately before the write is sent: a freeze may have been set meanwhile. */
      readonly admit: Admit;
    }
  | {
      readonly type: "held";
      readonly reason: HoldReason;
      /** For people: who or what holds it, until when, and what to do about it. */
      readonly why: string;
      /** For people: what may be otherwise at each look, and is no news by itself. */
      readonly details?: string;
      readonly afterMs: number;
      /** Wall time at which the hold ends by itself, if it does. */
      readonly untilMs?: number;
    };

/** Asked immediately before a write that rolls. Notes, adoption and the end of a pause are no rolls. */
export interface Brakes {
  permit(intent: RollIntent, signal: AbortSignal): Promise<Permit>;
  /** A permitted roll is known not to have been written: what it took is given back. */
  withdraw(request: Request): Promise<void>;
  /** A rollout that began so long ago has ended, well or badly. */
  settled(request: Request, ageMs: number): Promise<void>;
}

/** How often a frozen workload is looked at: soon enough for who lifts a freeze, rarely enough for 10,000 that wait. */
const frozenMs = 10_000;
/** What was read longer ago than this, since Redis was slow or the write had to wait, is read again: a freeze may have been set meanwhile. */
const freshMs = 20;

/** Freeze before breaker before budget, so that what is frozen uses up nothing. */
export function createBrakes(options: {
  readonly freezes: Freezes;
  readonly ledger: RollLedger;
  readonly clock: Clock;
  readonly random: Random;
  /** What people call a cluster; by its id when absent. */
  readonly nameOf?: (cluster: ClusterId) => string;
}): Brakes {
  const { clock, freezes, ledger, random } = options;

  return {
    async permit(intent, signal) {
      const frozen = await freeze(intent);
      if (frozen !== undefined) return frozen;
      let readAt = clock.monotonic();
      const entry = await ledger.enter(intent.request, intent.sources.map(actedOn), signal);
      if (entry.type === "held") {
        const { reason, afterMs, untilMs, blockedBy } = entry;
        const why = whyHeld(entry);
        const details = blockedBy === undefined ? {} : { details: `unfinished: ${namesOf(blockedBy)}` };
        // A budget gives each a time of its own; when a breaker closes, not all come at once.
        if (untilMs === undefined) return { type: "held", reason, why, afterMs, ...details };
        const jitterMs = Math.ceil(Math.min(1000, afterMs / 10) * random());
        return { type: "held", reason, why, afterMs: afterMs + jitterMs, untilMs };
      }
      /** Reads the freezes again unless they were read a moment ago. */
      const freezeAgain = async () => {
        if (clock.monotonic() - readAt <= freshMs) return undefined;
        readAt = clock.monotonic();
        return await freeze(intent);
      };
      const late = await freezeAgain();
      if (late !== undefined) await ledger.withdraw(intent.request);
      return late ?? { type: "go", admit: async () => ((await freezeAgain()) === undefined ? "go" : "hold") };
    },
    withdraw: (request) => ledger.withdraw(request),
    settled: (request, ageMs) => ledger.settled(request, ageMs),
  };

  function namesOf(rolls: readonly Request[]): string {
    const { nameOf = (cluster: ClusterId) => cluster } = options;
    return rolls.map(({ cluster, workload }) => `${workloadKey(workload)} of ${nameOf(cluster)}`).join(", ");
  }

  async function freeze(intent: RollIntent): Promise<(Permit & { type: "held" }) | undefined> {
    const afterMs = Math.ceil(frozenMs * (0.5 + random()));
    const { frozenBy } = intent;
    if (frozenBy !== undefined) return { type: "held", reason: "FrozenByAnnotation", why: frozenBy, afterMs };
    const frozen = await freezes.now();
    if (frozen.type === "unreadable")
      return { type: "held", reason: "FreezeUnreadable", why: frozen.why, afterMs };
    const found = freezeOf(frozen.freezes, targetOf(intent), clock.now());
    if (found === undefined) return undefined;
    const { reason, by, untilMs } = found;
    const why = `${reason} (by ${by}${untilMs === undefined ? "" : `, until ${new Date(untilMs).toISOString()}`})`;
    if (untilMs === undefined) return { type: "held", reason: "Frozen", why, afterMs };
    const leftMs = Math.max(1, untilMs - clock.now());
    return { type: "held", reason: "Frozen", why, afterMs: Math.min(afterMs, leftMs), untilMs };
  }
}

function targetOf({ request, clusterName, clusterLabels, sources }: RollIntent): FreezeTarget {
  const { cluster, workload } = request;
  return { cluster, clusterName, clusterLabels, workload, sources: sources.map(({ ref }) => ref) };
}

function actedOn({ ref, through, version }: IntendedSource) {
  return { id: `${sourceKey(ref)}${through === "" ? "" : `|${through}`}`, version };
}

function whyHeld({ reason, what, limit }: Entry & { type: "held" }): string {
  const often = limit === undefined ? "" : `more than ${limit.rollsMax} times in ${lengthOf(limit.withinMs)}`;
  switch (reason) {
    case "SourceLooping":
      return `the breaker of ${what} is open: its content changed ${often}; stop what rewrites it, or raise --breaker-source`;
    case "WorkloadLooping":
      return `the breaker of ${what} is open: it was rolled ${often}; stop what changes its sources, or raise --breaker-workload`;
    case "BudgetRate":
      return `the ${what}'s budget of rolls for this time is spent`;
    case "BudgetUnfinished":
      return `as many rollouts of the ${what} are unfinished as its budget allows`;
    default:
      return what;
  }
}

/** As the flags have it: `10m`, `1h`, `90s`. */
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
