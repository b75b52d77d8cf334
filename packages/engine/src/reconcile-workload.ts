import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { formatCarried, parseCarried } from "@fleet-reloader/domain/carried/carried";
import { notePatch, ourNote } from "@fleet-reloader/domain/carried/note";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/keyring";
import { isActedOn, type Stand } from "@fleet-reloader/domain/kind/stand";
import { isHeld, type PauseChange, planPause } from "@fleet-reloader/domain/pause";
import { type Plan, plan } from "@fleet-reloader/domain/plan/plan";
import type { Sight } from "@fleet-reloader/domain/plan/sight";
import { templateEdit } from "@fleet-reloader/domain/plan/template-edit";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { Clock, Random } from "./clock.ts";
import type { ClusterApi, LiveWorkload } from "./cluster-api.ts";
import { type Interest, patternsOf, readInterest, windowOf } from "./interest.ts";
import { dropStash, finishReplacement } from "./job-replacement.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import { createNamespaceCheck } from "./namespace-scope.ts";
import { isWorthReporting, type Reporter } from "./reporter.ts";
import type { Again, ClusterId, Outcome, Request } from "./request.ts";
import type { Settings } from "./settings.ts";
import { createSourceReader, type ReadsAhead } from "./source-reader.ts";
import { servedKind, standOf } from "./stand-of.ts";
import type { Delivery, Handler, Workqueue } from "./workqueue.ts";
import { writeRoll } from "./write-roll.ts";

/** A cluster as a worker has it: how to talk to it, and since when it is watched. */
export interface EngagedCluster {
  /** What people call it: in logs and metrics. */
  readonly name: string;
  readonly api: ClusterApi;
  readonly engagedAtSeconds: number;
}

export interface ReconcilerOptions {
  /** Undefined: this worker does not know the cluster (yet). */
  readonly engaged: (cluster: ClusterId) => Promise<EngagedCluster | undefined>;
  readonly queue: Workqueue;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly compile: CompilePattern;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is told. */
  readonly reporter?: Reporter;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** One look at a workload, and all that a decision about it needs. */
interface Reading {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly live: LiveWorkload;
  readonly kind: WorkloadKind;
  readonly interest: Interest;
  readonly note: string | undefined;
}

/** What a pause adds to a PATCH. */
interface Pausing {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec: { readonly isPaused?: boolean };
}

interface Planned {
  readonly planned: Plan;
  readonly sights: readonly Sight[];
}

interface Look extends Planned {
  readonly reading: Reading;
  readonly stand: Stand;
}

/** A conflict is read and decided again in place this often before it goes back to the queue. */
const conflictsInPlace = 3;
const conflictPauseMs = 20;
/** A cluster this worker has not connected to yet, or was not told of. */
const unknownClusterMs = 5000;

/**
 * Makes one workload match the world: reads it and its sources now, compares with what it carries, writes on a difference,
 * checks the answer. Whatever message led here, and however often, the outcome is the same.
 */
export function createReconciler(options: ReconcilerOptions): Handler {
  const { clock, log, meter } = options;
  const sources = createSourceReader(options.settings, options.lifetime);
  const isServed = createNamespaceCheck(options.settings.scope, options.lifetime);

  return async function reconcileWorkload(request, delivery) {
    const startedAt = clock.monotonic();
    const spent = () => (clock.monotonic() - startedAt) / 1000;
    const cluster = await options.engaged(request.cluster);
    if (cluster === undefined) {
      meter.reconciled(request.cluster, "held", spent(), request.workload);
      return { type: "again", afterMs: unknownClusterMs, reason: "ClusterUnknown" };
    }
    const fields = { cluster: cluster.name, workload: request.workload };
    try {
      const outcome = await decideAndWrite(request, delivery, cluster);
      meter.reconciled(
        cluster.name,
        typeof outcome === "string" ? outcome : "held",
        spent(),
        request.workload,
      );
      return typeof outcome === "string" ? { type: "done", outcome } : outcome;
    } catch (error) {
      const fault = asFault(error);
      const result = { retry: "retry", delay: "held", drop: "dropped", stop: "dropped" } as const;
      meter.reconciled(cluster.name, result[fault.disposition.queue], spent(), request.workload);
      log[fault.disposition.level === "fatal" ? "error" : fault.disposition.level](
        { ...fields, reason: fault.code, attempt: delivery.attemptsMade + 1, err: fault.message },
        "workload not reconciled",
      );
      // Also at an adoption: a change that comes while one is tried again is found by it.
      if (isWorthReporting(fault, delivery.attemptsMade))
        options.reporter?.failed({ ...about(request, cluster), code: fault.code, message: fault.message });
      throw fault;
    }
  };

  function about(request: Request, cluster: EngagedCluster) {
    const { name: clusterName } = cluster;
    return { cluster: request.cluster, clusterName, workload: request.workload, atMs: clock.now() };
  }

  async function decideAndWrite(
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await decideAndWriteOnce(request, delivery, cluster);
      } catch (error) {
        const fault = asFault(error);
        if (fault.class !== "conflict" || conflicts === conflictsInPlace) throw fault;
        await clock.sleep(conflictPauseMs * options.random(), delivery.signal).catch(() => {
          throw new Fault("engine.aborted", "stopped while waiting to decide again");
        });
      }
    }
  }

  async function decideAndWriteOnce(
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    const look = await lookNow(request, delivery, cluster);
    if (typeof look === "string") return look;
    if ("stash" in look) return await finish(look.stash, request, delivery, cluster);
    const { reading, stand, planned, sights } = look;
    // What is not acted on is noted: whatever is resumed later does not run for an old change.
    const due = planned.type === "roll" && isActedOn(stand, options.settings) ? planned : undefined;
    return await write(reading, sights, { due, carried: planned.carried });
  }

  /** Writes what has been decided: a roll that is due, or only the note of what the pods carry. */
  async function write(
    reading: Reading,
    sights: readonly Sight[],
    {
      due,
      carried,
    }: { readonly due: (Plan & { type: "roll" }) | undefined; readonly carried: Plan["carried"] },
  ): Promise<Outcome | Again> {
    const { request, delivery, live, interest, note } = reading;
    const window = windowOf(interest.optIn.overrides, options.settings);
    const mayRoll = delivery.purpose === "change" || window.quietPeriodMs === 0;
    const isRoll = due !== undefined && mayRoll;
    const pause = planPause({
      ...{ kind: live.ref.kind, annotations: live.annotations, isPaused: live.isPaused, isRoll },
      ...{ dialect: options.settings.dialect, nowMs: clock.now() },
    });
    reportProblems(reading, [...interest.optIn.problems, ...pause.problems]);
    const pausing = pausingOf(pause.change, options.settings.dialect);
    // Whoever changed the workload may be changing its sources too: this is a change like any other, and waits like one.
    if (due !== undefined && !mayRoll) await options.queue.add([{ request, ...window, purpose: "change" }]);
    const text = due !== undefined ? note : carried && formatCarried(carried);
    const outcome = isRoll
      ? await roll(reading, due, pausing)
      : text === note && pause.change === undefined
        ? nothingWritten(sights)
        : await record(reading, sights, { text, pausing });
    // Only now: a pause that was not written has no end.
    if (pause.resumeAfterMs !== undefined) await resumeLater(request, pause.resumeAfterMs);
    return outcome;
  }

  /** What there is now, and what follows from it; `gone` and `ignored`: nothing can. A stash stands for the Job it replaces. */
  async function lookNow(
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Look | { readonly stash: LiveWorkload } | "gone" | "ignored"> {
    const { api } = cluster;
    const kind = servedKind(request.workload.kind, options.settings);
    // Left over from when it was served.
    if (kind === undefined) return "ignored";
    const ahead = sources.readAhead(api, request.workload);
    const [live, isInScope] = await Promise.all([
      api.readWorkload(request.workload, delivery.signal),
      isServed(api, request.workload.namespace),
    ]);
    if (live === undefined || live.isDeleting) return "gone";
    const stand = standOf(live, options.settings);
    if (stand === "stash") return { stash: live };
    // A pause that was begun while the namespace was served has to end all the same.
    if (!isInScope && !isHeld(live, options.settings.dialect)) return "ignored";
    const interest = readInterest(live, options.settings, options.compile);
    const note = ourNote(live.annotations, options.keys);
    const reading: Reading = { request, delivery, cluster, live, kind, interest, note };
    return { reading, stand, ...(isInScope ? await planNow(reading, stand, ahead) : leftAlone(note)) };
  }

  async function planNow(
    { cluster, live, interest, note }: Reading,
    stand: Stand,
    ahead: ReadsAhead,
  ): Promise<Planned> {
    const { api, engagedAtSeconds } = cluster;
    const carried = parseCarried(note);
    const sights = stand === "owned" ? [] : await sources.look({ api, live, interest, note, carried, ahead });
    const planned = plan({
      workload: { ...live, parsed: interest.template },
      carried,
      sights,
      patterns: patternsOf(interest),
      rules: options.settings,
      keys: options.keys,
      sha1: options.sha1,
      engagedAtSeconds,
    });
    return { planned, sights };
  }

  async function resumeLater(request: Request, afterMs: number): Promise<void> {
    await options.queue.add([{ request, quietPeriodMs: afterMs, maxWaitMs: afterMs, purpose: "resume" }]);
  }

  /** The note changes, or a pause ends: no template does. */
  async function record(
    reading: Reading,
    sights: readonly Sight[],
    { text, pausing }: { readonly text: string | undefined; readonly pausing: Pausing },
  ): Promise<Outcome> {
    const { request, delivery, cluster, live, interest } = reading;
    reportMissing(reading, sights);
    const annotations = { ...notePatch(live.annotations, options.keys, text), ...pausing.annotations };
    const patch = { resourceVersion: live.resourceVersion, annotations, ...pausing.spec };
    const written = await cluster.api.patchWorkload(request.workload, patch, delivery.signal);
    if (written === undefined) return "gone";
    sources.remember(cluster.api, written, { sources: interest.candidates, note: text });
    log.debug(
      { cluster: cluster.name, workload: request.workload },
      text === undefined ? "workload let go" : "workload noted",
    );
    return "recorded";
  }

  /** A stash was left over: whoever made it did not come to an end. */
  async function finish(
    stash: LiveWorkload,
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    const { api } = cluster;
    const fields = { cluster: cluster.name, workload: request.workload };
    const replacement = await finishReplacement(api, stash, delivery.signal);
    switch (replacement.type) {
      case "waiting":
        return replacement.again;
      case "unreadable":
        log.warn(
          { ...fields, reason: "StashUnreadable" },
          "a stash of a Job cannot be read; it is left alone",
        );
        return "ignored";
      case "made":
        log.info({ ...fields, job: replacement.live.ref.name }, "interrupted replacement finished");
        // Made from a decision of some time ago.
        await options.queue.add([
          {
            request: { ...request, workload: replacement.live.ref },
            quietPeriodMs: 0,
            maxWaitMs: 0,
            purpose: "adoption",
          },
        ]);
        return "recorded";
      case "undecided": {
        const workload = replacement.old;
        const outcome = await decideAndWriteOnce(
          { ...request, workload },
          { ...delivery, purpose: "change" },
          cluster,
        );
        if (typeof outcome !== "string") return outcome;
        const left = await api.readWorkload(stash.ref, delivery.signal);
        if (left?.uid === stash.uid && !left.isDeleting)
          await dropStash(api, stash, workload, delivery.signal);
        return outcome;
      }
    }
  }

  async function roll(
    reading: Reading,
    planned: Plan & { type: "roll" },
    pausing: Pausing,
  ): Promise<Outcome | Again> {
    const { request, delivery, cluster, live, kind, interest } = reading;
    const strategy = interest.optIn.overrides.strategy ?? options.settings.strategy;
    const nowSeconds = Math.floor(clock.now() / 1000);
    const edit = templateEdit(planned, strategy, interest.template, { keys: options.keys, nowSeconds });
    const note = formatCarried(planned.carried);
    const annotations = { ...notePatch(live.annotations, options.keys, note), ...pausing.annotations };
    const how = kind.roll({
      live,
      edit,
      mark: planned.mark,
      note: { before: reading.note, after: note, annotations },
      nowMs: clock.now(),
      keyed: options.keys.current,
    });
    const target = { api: cluster.api, live, annotations, also: pausing.spec, signal: delivery.signal };
    const written = await writeRoll(how, target);
    if (written.type === "gone") return "gone";
    if (written.type === "written")
      sources.remember(cluster.api, written.live, { sources: interest.candidates, note });
    for (const { reason } of planned.changed) meter.rolled(cluster.name, request.workload.kind, reason);
    const changed = planned.changed.map(({ source, reason }) => ({
      kind: source.kind,
      name: source.name,
      reason,
    }));
    log.info(
      { cluster: cluster.name, workload: request.workload, strategy, sources: changed },
      "workload rolled",
    );
    options.reporter?.rolled({
      ...about(request, cluster),
      uid: written.type === "written" ? written.live.uid : live.uid,
      strategy,
      sources: planned.changed.map(({ source, reason }) => ({ ...source, reason })),
    });
    return written.type === "waiting" ? written.again : "rolled";
  }

  function reportProblems({ request, cluster, live }: Reading, problems: readonly AnnotationProblem[]): void {
    for (const unreadable of problems) {
      const { annotation, value, problem, mend } = unreadable;
      options.reporter?.unreadable({ ...about(request, cluster), uid: live.uid, problem: unreadable });
      log.warn(
        {
          cluster: cluster.name,
          workload: request.workload,
          annotation,
          value: value.slice(0, 200),
          reason: "AnnotationUnreadable",
        },
        `annotation ${annotation} ${problem}; ${mend}`,
      );
    }
  }

  /** A name in an annotation that leads nowhere is often a wrong name: said once, when it is noted. */
  function reportMissing({ request, cluster }: Reading, sights: readonly Sight[]): void {
    for (const { ref, mode, reference, live } of sights) {
      if (mode !== "named" || reference !== undefined || live !== undefined) continue;
      log.warn(
        { cluster: cluster.name, workload: request.workload, source: ref, reason: "NamedSourceMissing" },
        "an annotation names a source that does not exist and that the pod template does not reference",
      );
    }
  }
}

/** What a namespace that is not served leaves to decide: nothing, and the note stays. */
function leftAlone(note: string | undefined): Planned {
  return { planned: { type: "record", carried: parseCarried(note) }, sights: [] };
}

function nothingWritten(sights: readonly Sight[]): Outcome {
  return sights.length === 0 ? "ignored" : "unchanged";
}

function pausingOf(change: PauseChange | undefined, dialect: AnnotationDialect): Pausing {
  if (change === undefined) return { annotations: {}, spec: {} };
  const { isPaused, pausedAt } = change;
  return {
    annotations: { [dialect.pausedAt]: pausedAt },
    spec: isPaused === undefined ? {} : { isPaused },
  };
}
