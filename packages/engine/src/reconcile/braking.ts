import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { localName, type ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { Plan } from "@fleet-reloader/domain/plan/plan";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Brakes, RollHold, RollIntent } from "../admission/brakes.ts";
import { createSourceFreezes } from "../admission/source-freezes.ts";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { History } from "../history/history.ts";
import { causesOf, heldRecords } from "../history/records.ts";
import { reportHead } from "../history/report-head.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Reporter } from "../ports/reporter.ts";
import { type Again, againWhenFree } from "../ports/request.ts";
import type { Reading } from "./reading.ts";
import type { RollPermit } from "./write-roll.ts";

export interface BrakingOptions {
  /** Undefined: nothing holds a roll. */
  readonly brakes?: Brakes;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly reporter?: Reporter;
  readonly history?: History;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** A roll that is due, and the look that says so. */
export interface IntendedRoll {
  readonly due: Roll;
  readonly observedSources: readonly ObservedSource[];
  /** Monotonic time at which the look began. */
  readonly observedAtMs: number;
}

/** The roll may be written now. */
export interface Go {
  readonly type: "go";
  /** Undefined: nobody has to be asked again. */
  readonly permit?: RollPermit;
}

type Roll = Plan & { type: "roll" };

/** Holds remembered, so that one that lasts is not told at every look; of those forgotten it is. Some 200 bytes each. */
const rememberedMax = 100_000;
/** A hold that lasts is told again: an API server forgets its Events after an hour. */
const tellAgainMs = 30 * 60_000;
/** Rollouts that end make room. Where the same ones leave none for so long, a person has to look at them. */
const stuckAfterMs = 60_000;

/** A hold as it was told, and since when the same rollouts are the reason. */
interface ReportedHold {
  readonly what: string;
  readonly atMs: number;
  readonly details: string | undefined;
  readonly sinceMs: number;
  readonly isStuck: boolean;
}

/** Asks the brakes for a roll, and tells of a hold: then it is for another time. */
export function createBraking(
  options: BrakingOptions,
): (reading: Reading, intended: IntendedRoll) => Promise<Again | Go> {
  const { brakes, clock, history, log, meter, reporter } = options;
  const reported = new Map<string, ReportedHold>();
  const sourceFreezes = createSourceFreezes(options);

  return async (reading, intended) => {
    const { due, observedSources } = intended;
    if (brakes === undefined) return { type: "go" };
    const { request, delivery, cluster } = reading;
    const verdict = await brakes.admit(intentOf(reading, due, observedSources), delivery.signal);
    const key = `${request.cluster}/${workloadKey(request.workload)}`;
    if (verdict.type === "go") {
      reported.delete(key);
      const admitSources = sourceFreezes({
        api: cluster.api,
        sources: due.changed.map(({ source }) => source),
        readAtMs: intended.observedAtMs,
        signal: delivery.signal,
      });
      const admit = async () => ((await admitSources()) === "go" ? await verdict.admit() : "hold");
      const withdraw = () => unlessAborted(brakes.withdraw(request), delivery.signal, "Redis");
      return { type: "go", permit: { admit, withdraw } };
    }
    const { reason, details, untilMs } = verdict;
    const why = details === undefined ? verdict.why : `${verdict.why}; ${details}`;
    const end = untilMs === undefined ? {} : { untilMs };
    meter.held(cluster.name, reason);
    const news = newsOf(key, verdict);
    if (news === "begins") {
      const sources = causesOf(request.cluster, due.changed, observedSources);
      history?.append(heldRecords(reportHead(request, cluster, clock), reason, { sources, observedSources }));
    }
    if (news !== undefined) {
      log.info({ cluster: cluster.name, workload: request.workload, reason, why }, "roll held");
      const report = { ...reportHead(request, cluster, clock), uid: reading.live.uid, reason, why, ...end };
      reporter?.held({ ...report, isStuck: news === "stuck" });
    }
    return againWhenFree(verdict);
  };

  /** Undefined: it was told, and is as it was. */
  function newsOf(key: string, { reason, why, details }: RollHold): "begins" | "stuck" | undefined {
    const nowMs = clock.monotonic();
    const what = `${reason} ${why}`;
    const before = reported.get(key);
    if (before?.what !== what || nowMs - before.atMs >= tellAgainMs) {
      remember(key, { what, atMs: nowMs, details, sinceMs: nowMs, isStuck: false });
      return "begins";
    }
    const sinceMs = before.details === details ? before.sinceMs : nowMs;
    const isStuck = details !== undefined && nowMs - sinceMs >= stuckAfterMs;
    reported.set(key, { ...before, details, sinceMs, isStuck: isStuck || before.isStuck });
    return isStuck && !before.isStuck ? "stuck" : undefined;
  }

  function remember(key: string, now: ReportedHold): void {
    reported.delete(key);
    reported.set(key, now);
    const [oldest] = reported.keys();
    if (reported.size > rememberedMax && oldest !== undefined) reported.delete(oldest);
  }
}

function intentOf(
  { request, cluster, live }: Reading,
  due: Roll,
  observedSources: readonly ObservedSource[],
): RollIntent {
  const changed = new Set(due.changed.map(({ source }) => localName(source)));
  const frozenSource = observedSources.find(
    ({ ref, frozenBy }) => frozenBy !== undefined && changed.has(localName(ref)),
  );
  return {
    request,
    clusterName: cluster.name,
    clusterLabels: cluster.labels ?? {},
    frozenBy:
      whyFrozen("the workload", frozenByAnnotation(live.annotations)) ??
      (frozenSource && whyFrozen(localName(frozenSource.ref), frozenSource.frozenBy)),
    sources: due.changed.map(({ source, mark }) => {
      const carries = due.applied.sources.get(localName(source));
      const keys = carries?.type === "present" ? carries.keys : "all";
      return { ref: source, through: keys === "all" ? "" : keys.join(","), version: mark };
    }),
  };
}

function whyFrozen(what: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return text === "true" ? `${what} is annotated as frozen` : `${what} is annotated as frozen: ${text}`;
}
