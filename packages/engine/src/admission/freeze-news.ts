import { asFault } from "@fleet-reloader/domain/fault";
import { describeScope, type Freeze, isInForce } from "@fleet-reloader/domain/hold/freeze";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { type History, historyVersion, type OperatorRecord } from "../history/history.ts";
import type { Log } from "../ports/log.ts";
import type { Freezes } from "./freezes.ts";

/**
 * The freezes that people see and that are already in the history, shared by all processes. Each freeze is recorded once when it comes
 * and once when it goes.
 */
export interface RecordedFreezes {
  /** Replaces the recorded freezes. Resolves to those that are new and to those that are gone. */
  replace(
    now: readonly Freeze[],
  ): Promise<{ readonly come: readonly Freeze[]; readonly gone: readonly Freeze[] }>;
  /** The freezes cannot be read, so nothing is rolled. It is forgotten unless it is repeated every few seconds. */
  unreadable(why: string): Promise<void>;
}

export interface FreezeNewsOptions {
  readonly freezes: Freezes;
  readonly told: RecordedFreezes;
  /** Undefined: no history is kept. People still see the present freezes. */
  readonly history: History | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nothing waits for the record: the freeze itself is read before every roll. */
const newsEveryMs = 5000;

/**
 * Records in the history who froze what and why, and when the freeze was lifted or ended, in whatever way it was written. Runs until the
 * signal is aborted; never rejects. While a document cannot be read nothing is recorded: its last content may still apply.
 */
export async function followFreezes(options: FreezeNewsOptions, signal: AbortSignal): Promise<void> {
  const { clock, freezes, history, log, told } = options;
  while (!signal.aborted) {
    try {
      const frozen = await unlessAborted(freezes.now(), signal, "freezes");
      if (frozen.type === "unreadable") await unlessAborted(told.unreadable(frozen.why), signal, "Redis");
      else {
        const nowMs = clock.now();
        const inForce = frozen.freezes.filter((freeze) => isInForce(freeze, nowMs));
        const { come, gone } = await unlessAborted(told.replace(inForce), signal, "Redis");
        const time = new Date(clock.now()).toISOString();
        // A freeze that is declared again with another reason or end was never lifted, so its last record has to be a freeze.
        const targets = new Set(inForce.map(({ scope }) => describeScope(scope)));
        const lifted = gone.filter(({ scope }) => !targets.has(describeScope(scope)));
        history?.append([
          ...lifted.map((freeze) => recordOf("unfreeze", freeze, time)),
          ...come.map((freeze) => recordOf("freeze", freeze, time)),
        ]);
      }
    } catch (error) {
      if (!signal.aborted)
        log.debug({ err: asFault(error).message }, "freezes could not be written to the history");
    }
    await clock.sleep(newsEveryMs, signal).catch(() => undefined);
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
    // It is not known who removed a freeze, and nobody removed one that has ended.
    by: action === "freeze" ? freeze.by : "",
    note: `${reason}${until}`,
  };
}
