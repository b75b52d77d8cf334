import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Brakes } from "../admission/brakes.ts";
import { HoldNews } from "../admission/hold-news.ts";
import type { Clock, Random } from "../async/clock.ts";
import type { FollowUps } from "../follow/follow-ups.ts";
import type { Fact } from "../history/fact.ts";
import { FleetChanges } from "../history/fleet-changes.ts";
import type { History } from "../history/history.ts";
import { createRecorder } from "../history/recorder.ts";
import type { Tracer } from "../history/tracer.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import type { ShownWorkloads } from "../observe/shown-workloads.ts";
import { SourceReader } from "../observe/source-reader.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import { isWorthReporting, type Reporter } from "../ports/reporter.ts";
import {
  type Again,
  type ClusterId,
  type Outcome,
  type Request,
  type Result,
  unknownCluster,
} from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { WorkloadRecords } from "../ports/workload-records.ts";
import type { Delivery, Handler, Workqueue } from "../ports/workqueue.ts";
import { createBraking } from "./braking.ts";
import { dropStash, finishReplacement } from "./job-replacement.ts";
import { LiveFindings } from "./live-findings.ts";
import { MissingSources } from "./missing-sources.ts";
import { decidedOn } from "./observation/decision.ts";
import { createObserve, type Observe } from "./observation/observe.ts";
import { observeShown } from "./observation/observe-shown.ts";
import type { Taken } from "./reading.ts";
import { UnmadeRoll } from "./unmade-roll.ts";
import { type WriteDependencies, writeDecision } from "./write.ts";

export interface ReconcilerOptions {
  /** Resolves to undefined when this worker does not know the cluster (yet). */
  readonly engaged: (cluster: ClusterId) => Promise<EngagedCluster | undefined>;
  readonly queue: Workqueue;
  /** What Redis remembers of workloads. */
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly names: NameMatches;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is notified. */
  readonly reporter?: Reporter;
  /** Undefined: no history is kept. */
  readonly history?: History;
  /** Undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Undefined: rollouts are not followed. */
  readonly followUps?: Pick<FollowUps, "rolled">;
  /** Undefined: nothing holds a roll. */
  readonly brakes?: Brakes;
  /** The workloads that the watches of this process keep. Absent: it watches nothing, so each workload is read. */
  readonly shown?: ShownWorkloads | undefined;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** After a conflict the workload is read and decided again in place this often; then the request goes back to the queue. */
const conflictsInPlace = 3;
/** The longest first pause; it doubles with each conflict. */
const conflictPauseMs = 20;
/** The wait for a cluster that this worker does not know or has not connected to yet. */
const unknownClusterRetryMs = 5000;

/** What reconciling one workload needs. */
interface Reconciling extends WriteDependencies {
  readonly holdNews: HoldNews;
  readonly engaged: ReconcilerOptions["engaged"];
  readonly observe: Observe;
  readonly shown: ShownWorkloads | undefined;
  readonly random: Random;
}

/**
 * Makes one workload match the world: reads it and its sources now, compares with what its pods run with, writes on a difference,
 * checks the answer. Whatever message led here, and however often, the outcome is the same.
 */
export function createReconciler(options: ReconcilerOptions): Handler {
  const { engaged, queue, records, keys, settings, clock, random, log, meter } = options;
  const { reporter, history, tracer, followUps, brakes, lifetime, sha1, names } = options;
  const sources = new SourceReader({ settings, names, clock, lifetime });
  const fleetChanges = new FleetChanges(keys.current);
  const recorder = createRecorder({ clock, log, meter, reporter, history, tracer, fleetChanges, followUps });
  const holdNews = new HoldNews(clock);
  const dependencies: Reconciling = {
    holdNews,
    observe: createObserve({ sources, records, keys, sha1, names, settings, lifetime }),
    missing: new MissingSources({ names, clock, lifetime }),
    mistakes: new LiveFindings(settings),
    brake: createBraking({ brakes, clock, recorder, news: holdNews, sources, settings, lifetime }),
    recorder,
    shown: options.shown,
    engaged,
    sources,
    queue,
    records,
    keys,
    settings,
    clock,
    random,
  };
  return (request, delivery) => reconcileWorkload(dependencies, request, delivery);
}

async function reconcileWorkload(
  dependencies: Reconciling,
  request: Request,
  delivery: Delivery,
): Promise<Result> {
  const { clock, holdNews, queue, records, recorder } = dependencies;
  const beganAtMs = clock.monotonic();
  const ended = (result: ReconcileResult): Fact => {
    return { type: "reconciled", result, seconds: (clock.monotonic() - beganAtMs) / 1000 };
  };
  const cluster = await dependencies.engaged(request.cluster);
  if (cluster === undefined) {
    recorder.record({ request, cluster: { name: unknownCluster } }, [ended("held")]);
    return { type: "again", afterMs: unknownClusterRetryMs, reason: "ClusterUnknown" };
  }
  const about = { request, delivery, cluster };
  try {
    // Asked first: a waiting request observes on its own, and may end before this observation does.
    if (delivery.purpose === "audit" && (await queue.waits(request))) {
      recorder.record(about, [ended("unchanged")]);
      return { type: "done", outcome: "unchanged", isUnasked: true };
    }
    const outcome = await decideAndWrite(dependencies, about);
    recorder.record(about, [ended(typeof outcome === "string" ? outcome : "held")]);
    if (outcome === "gone") recorder.record(about, [{ type: "gone", sources: [] }]);
    if (typeof outcome !== "string") return outcome;
    if (isAboutChanges(delivery)) holdNews.forget(request);
    return { type: "done", outcome };
  } catch (error) {
    const fault = asFault(error);
    // An adoption counts too: the next attempt finds a change that comes meanwhile.
    if (isObserved(fault)) records.reconciled(request);
    const { attemptsMade } = delivery;
    recorder.record(about, [ended(resultOf(fault, attemptsMade)), failedFact(fault, attemptsMade)]);
    throw fault;
  }
}

/** Whether the request is about changes, which may be on hold. Requests with another purpose wait beside it. */
function isAboutChanges({ purpose }: Delivery): boolean {
  return purpose === "change" || purpose === "adoption";
}

function failedFact(fault: Fault, attemptsMade: number): Fact {
  if (!(fault instanceof UnmadeRoll)) return { type: "failed", fault, attemptsMade };
  const { changed, observedSources } = fault;
  return { type: "failed", fault, attemptsMade, roll: { changed, observedSources } };
}

type ReconcileResult = (Fact & { readonly type: "reconciled" })["result"];

const queuedResults = { retry: "retry", delay: "delayed", drop: "dropped" } as const;

/** The result of a request that ended with a fault. A conflict is no failure until people are notified of it: the next attempt probably succeeds. */
function resultOf(fault: Fault, attemptsMade: number): ReconcileResult {
  if (fault.class === "conflict" && !isWorthReporting(fault, attemptsMade)) return "conflict";
  return queuedResults[fault.disposition.queue];
}

async function decideAndWrite(dependencies: Reconciling, taken: Taken): Promise<Outcome | Again> {
  const { clock, random } = dependencies;
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await decideAndWriteOnce(dependencies, taken, { mayBeShown: conflicts === 0 });
    } catch (error) {
      const fault = asFault(error);
      if (fault.class !== "conflict" || conflicts === conflictsInPlace) throw fault;
      const pauseMs = conflictPauseMs * 2 ** conflicts * random();
      await clock.sleep(pauseMs, taken.delivery.signal).catch(() => {
        throw new Fault("engine.aborted", "stopped while waiting to decide again");
      });
    }
  }
}

async function decideAndWriteOnce(
  dependencies: Reconciling,
  taken: Taken,
  { mayBeShown }: { readonly mayBeShown: boolean },
): Promise<Outcome | Again> {
  const { request, delivery, cluster } = taken;
  const { clock, observe, records, settings, shown } = dependencies;
  const observedAtMs = clock.monotonic();
  const known = mayBeShown ? await observeShown(observe, shown, settings, taken) : undefined;
  const observation = known ?? (await observe(request, delivery, cluster));
  if (typeof observation === "string") {
    records.reconciled(request);
    return observation;
  }
  if ("again" in observation) return observation.again;
  if ("stash" in observation) return await finishStash(dependencies, taken, observation.stash);
  const { reading, planned, observedSources, landed } = observation;
  const { due, stays } = decidedOn(observation, settings);
  // Until the landed roll is recorded, the state of that roll is written, so that a repeat finds it again.
  const { applied } = landed ?? planned;
  const decision = { reading, observedSources, due, landed, applied, stays, observedAtMs };
  return await writeDecision(dependencies, decision).catch((error: unknown) => {
    throw due === undefined
      ? error
      : new UnmadeRoll(asFault(error), { changed: due.changed, observedSources });
  });
}

/** Finishes a replacement whose stash was left behind: the worker that created the stash did not finish it. */
async function finishStash(
  dependencies: Reconciling,
  taken: Taken,
  stash: LiveWorkload,
): Promise<Outcome | Again> {
  const { queue, recorder } = dependencies;
  const { request, delivery, cluster } = taken;
  const replacement = await finishReplacement(cluster.api, stash, delivery.signal);
  switch (replacement.type) {
    case "waiting":
      return replacement.again;
    case "unreadable":
      recorder.record(taken, [{ type: "stash-unreadable" }]);
      return "ignored";
    case "made": {
      const workload = replacement.live.ref;
      recorder.record(taken, [{ type: "replacement-finished", job: workload.name }]);
      // Its template was decided some time ago.
      const adoption = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "adoption" } as const;
      await queue.add([{ request: { ...request, workload }, ...adoption }]);
      return "recorded";
    }
    case "undecided":
      return await decideOnOld(dependencies, taken, { stash, workload: replacement.old });
  }
}

/** The old Job still exists and nobody has deleted it. Decides now whether it is replaced, then drops the stash. */
async function decideOnOld(
  dependencies: Reconciling,
  { request, delivery, cluster }: Taken,
  { stash, workload }: { readonly stash: LiveWorkload; readonly workload: WorkloadRef },
): Promise<Outcome | Again> {
  const asked = {
    request: { ...request, workload },
    delivery: { ...delivery, purpose: "change" },
    cluster,
  } as const;
  const outcome = await decideAndWriteOnce(dependencies, asked, { mayBeShown: false });
  if (typeof outcome !== "string") return outcome;
  const left = await cluster.api.readWorkload(stash.ref, delivery.signal);
  if (left?.uid === stash.uid && !left.isDeleting)
    await dropStash(cluster.api, stash, workload, delivery.signal);
  return outcome;
}

/**
 * Whether the workload counts as observed although its request failed. A fault of the workload itself was found by observing it, and
 * nothing waits until it is mended. The same is true of a missing right: somebody has to grant it, and the streams report it.
 */
function isObserved({ class: its, disposition }: Fault): boolean {
  return disposition.queue !== "delay" || its === "denied";
}
