import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { localName, type ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { conditionalOn, type RollWrite } from "@fleet-reloader/domain/strategy/roll-write";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { AnnotationFreeze, Brakes, RollHold, RollIntent } from "../admission/brakes.ts";
import type { HoldNews } from "../admission/hold-news.ts";
import { createSourceFreezes } from "../admission/source-freezes.ts";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { HeldFact } from "../history/fact.ts";
import type { Recorder } from "../history/recorder.ts";
import { activeRun } from "../observe/active-run.ts";
import type { SourceReader } from "../observe/source-reader.ts";
import type { Admit, LiveWorkload } from "../ports/cluster-api.ts";
import { type Again, againWhenFree } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { Reading } from "./reading.ts";
import type { RollPermit } from "./write-roll.ts";

export interface BrakingOptions {
  /** Undefined: nothing holds a roll. */
  readonly brakes: Brakes | undefined;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly news: HoldNews;
  readonly sources: Pick<SourceReader, "unfrozenAtMs">;
  readonly settings: Pick<Settings, "reloadConcurrent">;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** A roll that is due, and the observation that it was decided on. */
export interface IntendedRoll {
  readonly due: RollPlan;
  readonly observedSources: readonly ObservedSource[];
  readonly write: RollWrite;
  /** Monotonic: when the observation began. */
  readonly observedAtMs: number;
}

/** The roll may be written now. */
export interface Go {
  readonly type: "go";
  /** Absent: no second question is needed. */
  readonly permit?: RollPermit;
}

/**
 * Asks for admission of a roll, and reports a hold. An admitted roll comes with a second question, which is asked when a connection is
 * reserved for the write.
 */
export function createBraking({
  brakes,
  clock,
  recorder,
  news,
  sources,
  settings,
  lifetime,
}: BrakingOptions): (reading: Reading, intended: IntendedRoll) => Promise<Again | Go> {
  const sourceFreezes = createSourceFreezes({
    clock,
    lastRead: (...read) => sources.unfrozenAtMs(...read),
    lifetime,
  });
  const held = (hold: RollHold, of: HeldRoll): Again => {
    recorder.record(of.reading, [heldFact(hold, news.of(of.reading.request, hold), of)]);
    return againWhenFree(hold);
  };
  return async (reading, intended) => {
    const running = await runHold(reading, settings);
    if (running !== undefined) return held(running, { reading, intended });
    if (brakes === undefined) return { type: "go" };
    const { request, delivery, cluster } = reading;
    const { due, observedAtMs } = intended;
    const verdict = await brakes.admit(rollIntentOf(reading, intended), delivery.signal);
    if (verdict.type === "hold") return held(verdict, { reading, intended });
    news.forget(request);
    const admitSources = sourceFreezes({
      api: cluster.api,
      sources: due.changed.map(({ source }) => source),
      readAtMs: observedAtMs,
      signal: delivery.signal,
    });
    const admitObjects = lateFreezes(reading, intended.write);
    const admit = async () => {
      const verdicts = await Promise.all([admitSources(), admitObjects()]);
      return verdicts.includes("hold") ? "hold" : await verdict.admit();
    };
    const withdraw = () => unlessAborted(brakes.withdraw(request), delivery.signal, "Redis");
    return { type: "go", permit: { admit, withdraw } };
  };
}

/** How often a CronJob is asked about whose Job has not ended. Such a Job takes minutes. */
const activeRunMs = 30_000;

/** The hold of a workload that may not be run beside its active run; undefined: nothing forbids its run. */
export async function runHold(
  { cluster, delivery, kind, live }: Reading,
  { reloadConcurrent }: Pick<Settings, "reloadConcurrent">,
): Promise<RollHold | undefined> {
  if (reloadConcurrent) return undefined;
  const name = await activeRun({ api: cluster.api, kind, live, signal: delivery.signal });
  if (name === undefined) return undefined;
  const why = `its concurrencyPolicy is Forbid, and the Job ${name} has not ended`;
  return { type: "hold", reason: "RunActive", why, afterMs: activeRunMs };
}

/**
 * Holds a write if an annotation freezes the workload, or the object it refers to for its pod template. The object whose version the
 * write depends on is not read: if it is annotated meanwhile, the API server refuses the write.
 */
function lateFreezes({ cluster, live, delivery }: Reading, write: RollWrite): Admit {
  const condition = conditionalOn(write, live.ref);
  const others = freezableOf(live).filter(
    ({ ref }) => condition === undefined || workloadKey(ref) !== workloadKey(condition),
  );
  return async () => {
    const read = others.map(({ ref }) => cluster.api.readWorkloadAnnotations(ref, delivery.signal));
    const isFrozen = (await Promise.all(read)).some((now) => frozenByAnnotation(now) !== undefined);
    return isFrozen ? "hold" : "go";
  };
}

/** The workload, and the object it refers to for its pod template. */
function freezableOf(live: LiveWorkload): readonly Pick<LiveWorkload, "ref" | "annotations">[] {
  return live.templateOwner === undefined ? [live] : [live, live.templateOwner];
}

interface HeldRoll {
  readonly reading: Reading;
  readonly intended: IntendedRoll;
}

function heldFact(
  { reason, why, details, untilMs }: RollHold,
  news: HeldFact["news"],
  { reading, intended }: HeldRoll,
): HeldFact {
  const { due, observedSources } = intended;
  return {
    type: "held",
    uid: reading.live.uid,
    reason,
    why: details === undefined ? why : `${why}; ${details}`,
    untilMs,
    news,
    changed: due.changed,
    observedSources,
  };
}

/** The question to the brakes about a roll. */
export function rollIntentOf(
  reading: Reading,
  intended: Pick<IntendedRoll, "due" | "observedSources">,
): RollIntent {
  const { request, cluster, live } = reading;
  const { due } = intended;
  return {
    request,
    templateOwner: live.templateOwner?.ref,
    clusterName: cluster.name,
    clusterLabels: cluster.labels ?? {},
    frozenBy: annotationFreeze(reading, intended),
    sources: due.changed.map(({ source, mark }) => {
      const carries = due.applied.sources.get(localName(source));
      const keys = carries?.type === "present" ? carries.keys : "all";
      return { ref: source, through: keys === "all" ? "" : keys.join(","), version: mark };
    }),
  };
}

function annotationFreeze(
  { live }: Reading,
  { due, observedSources }: Pick<IntendedRoll, "due" | "observedSources">,
): AnnotationFreeze | undefined {
  const changed = new Set(due.changed.map(({ source }) => localName(source)));
  const ofWorkload = freezableOf(live).flatMap(({ ref, annotations }) => {
    const text = frozenByAnnotation(annotations);
    const what = ref === live.ref ? "the workload" : `the ${ref.kind} ${ref.name} that it refers to`;
    return text === undefined ? [] : [{ key: workloadKey(ref), what, text }];
  });
  const ofSources = observedSources.flatMap(({ ref, frozenBy }) =>
    frozenBy === undefined || !changed.has(localName(ref))
      ? []
      : [{ key: sourceKey(ref), what: localName(ref), text: frozenBy }],
  );
  const all = [...ofWorkload, ...ofSources];
  const [first] = all;
  return first && { why: whyFrozen(first.what, first.text), objects: all.map(({ key }) => key) };
}

function whyFrozen(what: string, text: string): string {
  return text === "true" ? `${what} is annotated as frozen` : `${what} is annotated as frozen: ${text}`;
}

/** When the first of the changed contents was written, in seconds; undefined if no changed source exists. */
export function changedSinceSeconds(
  { changed }: RollPlan,
  observedSources: readonly ObservedSource[],
): number | undefined {
  const names = new Set(changed.map(({ source }) => localName(source)));
  const times = observedSources.flatMap(({ live, ref }) =>
    typeof live === "object" && names.has(localName(ref)) ? [live.writtenAtSeconds] : [],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}
