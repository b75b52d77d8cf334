import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { History } from "@fleet-reloader/engine/history/history";
import type { OnEngaged } from "@fleet-reloader/kube/fleet/engagement";
import { collectWhenIdle, nodeHeap } from "@fleet-reloader/runtime/process/idle-heap";
import type { Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { Loops } from "@fleet-reloader/runtime/process/loops";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { instanceName } from "@fleet-reloader/runtime/process/version";
import { allowYoungGrowth, YoungGeneration } from "@fleet-reloader/runtime/process/young-generation";
import { recordFreezes, startHistory } from "../history.ts";
import type { Reporting } from "../works/reporting.ts";
import type { Working, WorkingOptions } from "../works/working.ts";
import type { Clusters } from "./clusters.ts";
import type { Connections } from "./connections.ts";
import type { ProcessSpec, Works } from "./process-spec.ts";

export interface ProcessContext {
  readonly spec: ProcessSpec;
  readonly connections: Connections;
  readonly clusters: Clusters;
  readonly shutdown: Shutdown;
}

/**
 * Starts everything that runs in a process until it stops: this is the list. The parts end in the reverse order. A part that ends
 * although nobody stopped it rejects `broken` of the result with its name and its reason, and that ends the process.
 *
 * | Part | In a process that |
 * |---|---|
 * | idle heap: returns memory to the system | watches or works |
 * | fleet: connects to the clusters | watches or works |
 * | freezes: reads them, publishes the list of clusters | watches or works |
 * | ownership: shares the clusters among processes | watches, if others do too |
 * | holds: ends those that are over | watches |
 * | reports: says how each watched cluster is | watches |
 * | gone clusters: removes what Redis holds of them | watches |
 * | freeze news: records what is frozen and unfrozen | watches |
 * | late users: records who made a change when its audit event comes late | watches, if it receives audit events |
 * | history: writes records | watches or works |
 * | reports: sends Events, alerts and webhooks | works |
 * | young generation: may grow while many requests are taken | works |
 * | traces: sends spans of rolls | works, if a collector is given |
 * | worker: takes requests from the queue | works, unless in webhook mode |
 */
export async function startParts(context: ProcessContext): Promise<Loops> {
  const { clusters, connections, shutdown, spec } = context;
  const { client, clock, keys, log, meter } = connections;
  const { fleet, served, watched } = clusters;
  const { config, works } = spec;
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const loops = new Loops(signal);
  const kept = startHistory({ config, client, keys, clock, log, meter });
  // Without a worker only the freeze news write history, and they end with the clusters.
  if (works === undefined) shutdown.add("history", () => kept.stop());
  shutdown.add("clusters", async () => {
    lifetime.abort();
    await loops.ended();
  });
  loops.add("the idle heap", collectWhenIdle({ heap: nodeHeap, clock: systemClock, signal }));
  loops.add("the fleet", fleet.run(signal, createOnEngaged(context, signal)));
  loops.watch(served.broken);
  if (watched !== undefined) {
    const { gone, member, ownership, scaling } = watched;
    loops.add("the reports of clusters", watched.report(signal));
    const { freezes } = served;
    const { history } = kept;
    if (ownership !== undefined) loops.add("ownership", ownership.run(signal));
    loops.add("the watch over holds", scaling.watchHolds(signal));
    loops.add("the removal of gone clusters", gone.run(signal));
    const news = recordFreezes({ freezes, history, client, keys, member, clock, log }, signal);
    loops.add("the freeze news", news);
    if (history !== undefined) runLateUsers(context, history, loops, signal);
  }
  if (works !== undefined) {
    const reporting = runReporting(works, { clusters, connections });
    // After the worker, whose last rolls are reported, and before the connections, which Events need.
    shutdown.add("reports", () => reporting.stop());
    const tracing = await works.parts.openTracing({ config: works.config, clock: systemClock, log });
    shutdown.add("traces", () => tracing.stop());
    shutdown.add("history", () => kept.stop());
    // Webhook mode rolls nothing: requests that are still in the queue stay there.
    if (config.webhookUrl === undefined) {
      const young = new YoungGeneration();
      const growth = young.growUnderLoad({ allow: allowYoungGrowth, clock: systemClock, signal });
      loops.add("the young generation", growth);
      const working = await runWorking(
        works,
        { clusters, connections },
        {
          young,
          history: kept.history,
          reporter: reporting.reporter,
          tracer: tracing.tracer,
        },
      );
      // Ends first: requests under way still need the connection of their cluster.
      shutdown.add("worker", () => working.stop());
      loops.watch(working.broken);
    }
  }
  return loops;
}

function runLateUsers(
  { clusters, connections, spec }: ProcessContext,
  history: History,
  loops: Loops,
  signal: AbortSignal,
): void {
  const { client, clock, keys, log } = connections;
  const { fleet, watched } = clusters;
  const { watches } = spec;
  if (watches === undefined || watches.config.auditListenAddress === undefined) return;
  const late = watches.parts.recordLateUsers(
    {
      history,
      fleet,
      eventSource: watches.config.eventSource,
      watches: (cluster) => watched?.watching.lags.has(cluster) ?? false,
      client,
      keys,
      clock,
      log,
    },
    signal,
  );
  loops.add("the late users", late);
}

/** The work on a cluster while it is engaged. */
function createOnEngaged({ clusters, connections, spec }: ProcessContext, signal: AbortSignal): OnEngaged {
  const { log, registration } = connections;
  const { watched } = clusters;
  const { shape, sources, works } = spec;
  const firstCluster = registration.given[0]?.name;
  const publish = works?.parts.publishOnEngagement({
    shape,
    sources,
    config: works.config,
    firstCluster,
    clock: systemClock,
    log,
    signal,
  });
  return (engaged, life) => {
    publish?.(engaged);
    // The connection of a cluster lives as long as its engagement.
    if (watched === undefined) return untilAborted(life);
    const { ownership, watching } = watched;
    if (ownership === undefined) return watching.watch(engaged, life);
    return ownership.during(engaged.cluster, life, (owned) => watching.watch(engaged, owned));
  };
}

/** What is open before anything runs. */
type Opened = Pick<ProcessContext, "clusters" | "connections">;

function runReporting({ config, parts }: Works, { clusters, connections }: Opened): Reporting {
  const { fleet, settings } = clusters;
  const { clock, log, meter, random, registration } = connections;
  const { isFleet } = registration;
  const instance = instanceName();
  return parts.startReporting({ config, fleet, isFleet, settings, instance, clock, random, log, meter });
}

/** Where work is reported. */
interface Telling extends Pick<WorkingOptions, "history" | "reporter" | "tracer"> {
  readonly young: YoungGeneration;
}

async function runWorking(
  { config, limits, parts }: Works,
  { clusters, connections }: Opened,
  { history, reporter, tracer, young }: Telling,
): Promise<Working> {
  const { adapters, client, clock, keyring, keys, log, meter, names, queue, random } = connections;
  const { fleet, served, settings, shown } = clusters;
  return await parts.startWorking({
    fleet,
    client,
    keys,
    keyring: await keyring(),
    forgetOldKeys: config.forgetOldKeys,
    queue,
    settings,
    names,
    concurrency: config.concurrency,
    clock,
    random,
    log,
    meter,
    reporter,
    history,
    tracer,
    onTaken: (waitedMs) => {
      young.requestTaken();
      adapters.requestTaken(waitedMs);
    },
    beforeScrape: adapters.beforeScrape,
    freezes: served.freezes,
    shown,
    limits,
  });
}
