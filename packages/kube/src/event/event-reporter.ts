import { createHash } from "node:crypto";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type {
  EndReport,
  FailureReport,
  HoldReport,
  Reporter,
  RollReport,
  UnreadableReport,
} from "@fleet-reloader/engine/ports/reporter";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Connection } from "../http/connection.ts";
import { ClusterEvents } from "./cluster-events.ts";
import { type EventText, endedText, failedText, heldText, rolledText, unreadableText } from "./event-text.ts";

export interface EventReporterOptions {
  readonly connectionOf: (cluster: ClusterId) => Connection | undefined;
  readonly workloadKinds: readonly WorkloadKind[];
  /** Which of our processes speaks: the name of its pod, or of its machine. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

/** Reports as Kubernetes Events on the workload they are about, in its own cluster. */
export function createEventReporter(options: EventReporterOptions): Reporter & {
  /** What is queued is sent, for as long as there is time. */
  stop(graceMs: number): Promise<void>;
} {
  const { clock } = options;
  const lifetime = new AbortController();
  const clusters = new Map<ClusterId, { readonly connection: Connection; readonly events: ClusterEvents }>();

  return {
    rolled: (report) => put(report, rolledText(report), report.uid),
    failed: (report) => put(report, failedText(report), undefined),
    ended(report) {
      const text = endedText(report);
      if (text !== undefined) put(report, text, report.uid);
    },
    unreadable: (report) => put(report, unreadableText(report), report.uid, stateSuffix(report)),
    held(report) {
      // Waiting for a turn is what a budget is for: in a mass change an Event for each would be one for all. Rollouts that do not end
      // are something to be told.
      const isTurn = report.reason === "BudgetRate" || report.reason === "BudgetUnfinished";
      if (isTurn && report.isStuck !== true) return;
      put(report, heldText(report), report.uid, holdSuffix(report));
    },
    async stop(graceMs) {
      const drained = Promise.all([...clusters.values()].map((one) => one.events.drained()));
      await atMost(graceMs, clock, drained);
      lifetime.abort();
    },
  };

  function put(
    report: RollReport | FailureReport | EndReport | UnreadableReport | HoldReport,
    text: EventText,
    uid: string | undefined,
    suffix?: string,
  ): void {
    const { cluster, workload, atMs } = report;
    const kind = options.workloadKinds.find((known) => known.kind === workload.kind);
    const sender = kind === undefined ? undefined : senderOf(cluster, report.clusterName);
    if (kind === undefined || sender === undefined) options.meter.notified("event", "dropped", 1);
    else sender.put({ workload, kind, uid, text, suffix, atMs });
  }

  function senderOf(cluster: ClusterId, clusterName: string): ClusterEvents | undefined {
    const connection = options.connectionOf(cluster);
    const known = clusters.get(cluster);
    if (known?.connection === connection) return known?.events;
    forgetGone();
    if (connection === undefined) return undefined;
    const { instance, random, log, meter } = options;
    const { signal } = lifetime;
    const events = new ClusterEvents({
      clusterName,
      connection,
      instance,
      clock,
      random,
      log,
      meter,
      signal,
    });
    clusters.set(cluster, { connection, events });
    return events;
  }

  /** A cluster that is no longer engaged, or engaged anew, needs nothing of what was remembered of it. */
  function forgetGone(): void {
    for (const [cluster, { connection }] of clusters)
      if (options.connectionOf(cluster) !== connection) clusters.delete(cluster);
  }
}

/** One Event for one value of one annotation of one workload, whichever process finds it, and however often. */
function stateSuffix({ uid, problem }: UnreadableReport): string {
  return suffixOf([uid, problem.annotation, problem.value, problem.problem]);
}

/** One Event for one hold, however often the workload is looked at while it lasts. */
function holdSuffix({ uid, reason, why, untilMs }: HoldReport): string {
  return suffixOf([uid, reason, why, untilMs ?? 0]);
}

function suffixOf(identity: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 20);
}
