import { asFault } from "@fleet-reloader/domain/fault";
import { describeScope, type Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { type History, historyVersion, type OperatorRecord } from "../history/history.ts";
import type { Log } from "../ports/log.ts";
import type { Freezes } from "./freezes.ts";

/** The freezes that have been told, where all who look meet: each comes and goes once for all of them. */
export interface RecordedFreezes {
  /** These are all there are now. Resolves to those that were not there before, and those that are there no more. */
  replace(
    now: readonly Freeze[],
  ): Promise<{ readonly come: readonly Freeze[]; readonly gone: readonly Freeze[] }>;
}

export interface FreezeNewsOptions {
  readonly freezes: Freezes;
  readonly told: RecordedFreezes;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nobody waits for the record; the freeze itself is read before every roll. */
const everyMs = 5000;

/**
 * Tells the history who froze what and why, and when it was lifted, whoever wrote it and by whichever way. Until the signal is
 * aborted; never rejects. A document that cannot be read tells nothing: what it said before may still be meant.
 */
export async function followFreezes(options: FreezeNewsOptions, signal: AbortSignal): Promise<void> {
  const { clock, freezes, history, log, told } = options;
  while (!signal.aborted) {
    try {
      const frozen = await unlessAborted(freezes.now(), signal, "freezes");
      if (frozen.type === "known") {
        const { come, gone } = await unlessAborted(told.replace(frozen.freezes), signal, "Redis");
        const time = new Date(clock.now()).toISOString();
        // What is declared anew, with another reason or end, is frozen all the while: the last record has to say so.
        const targets = new Set(frozen.freezes.map(({ scope }) => describeScope(scope)));
        const lifted = gone.filter(({ scope }) => !targets.has(describeScope(scope)));
        history.append([
          ...lifted.map((freeze) => recordOf("unfreeze", freeze, time)),
          ...come.map((freeze) => recordOf("freeze", freeze, time)),
        ]);
      }
    } catch (error) {
      if (!signal.aborted)
        log.debug({ err: asFault(error).message }, "freezes could not be told to the history");
    }
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}

function recordOf(action: "freeze" | "unfreeze", freeze: Freeze, time: string): OperatorRecord {
  const { scope, reason, untilMs } = freeze;
  const { clusterSelector: _, ...named } = scope;
  const until = untilMs === undefined ? "" : `, until ${new Date(untilMs).toISOString()}`;
  return {
    v: historyVersion,
    time,
    type: "operator",
    action,
    target: describeScope(scope),
    scope: named,
    // Who took it away is not said anywhere.
    by: action === "freeze" ? freeze.by : "",
    note: `${reason}${until}`,
  };
}
