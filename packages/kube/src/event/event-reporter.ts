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
  /** Sends what is queued, for at most this long. */
  stop(graceMs: number): Promise<void>;
} {
  const lifetime = new AbortController();
  const senders = new EventSenders(options, lifetime.signal);
  return {
    rolled: (report) => senders.put(report, rolledText(report), report.uid),
    failed: (report) => senders.put(report, failedText(report), undefined),
    ended(report) {
      const text = endedText(report);
      if (text !== undefined) senders.put(report, text, report.uid);
    },
    unreadable: (report) => senders.put(report, unreadableText(report), report.uid, stateSuffix(report)),
    held(report) {
      if (!isTurn(report)) senders.put(report, heldText(report), report.uid, holdSuffix(report));
    },
    async stop(graceMs) {
      await atMost(graceMs, options.clock, senders.drained());
      lifetime.abort();
    },
  };
}

/** A budget makes workloads wait for their turn, which is no news: a mass change would get an Event for each. A stuck rollout is news. */
function isTurn({ reason, isStuck }: HoldReport): boolean {
  return (reason === "BudgetRate" || reason === "BudgetUnfinished") && isStuck !== true;
}

type WorkloadReport = RollReport | FailureReport | EndReport | UnreadableReport | HoldReport;

/** The queues of Events, one for each engaged cluster. */
class EventSenders {
  readonly #options: EventReporterOptions;
  readonly #signal: AbortSignal;
  readonly #clusters = new Map<
    ClusterId,
    { readonly connection: Connection; readonly events: ClusterEvents }
  >();

  constructor(options: EventReporterOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  put(report: WorkloadReport, text: EventText, uid: string | undefined, suffix?: string): void {
    const { cluster, clusterName, workload, atMs } = report;
    const { meter, workloadKinds } = this.#options;
    const kind = workloadKinds.find((known) => known.kind === workload.kind);
    const sender = kind === undefined ? undefined : this.#of(cluster, clusterName);
    if (kind === undefined || sender === undefined) meter.notified("event", "skipped", 1);
    else sender.put({ workload, kind, uid, text, suffix, atMs });
  }

  #of(cluster: ClusterId, clusterName: string): ClusterEvents | undefined {
    const { connectionOf, instance, clock, random, log, meter } = this.#options;
    const connection = connectionOf(cluster);
    const known = this.#clusters.get(cluster);
    if (known?.connection === connection) return known?.events;
    this.#forgetGone();
    if (connection === undefined) return undefined;
    const signal = this.#signal;
    const given = { clusterName, connection, instance, clock, random, log, meter, signal };
    const events = new ClusterEvents(given);
    this.#clusters.set(cluster, { connection, events });
    return events;
  }

  async drained(): Promise<void> {
    await Promise.all([...this.#clusters.values()].map(({ events }) => events.drained()));
  }

  /** Drops the queues of clusters that are no longer engaged, or were engaged again. */
  #forgetGone(): void {
    for (const [cluster, { connection }] of this.#clusters)
      if (this.#options.connectionOf(cluster) !== connection) this.#clusters.delete(cluster);
  }
}

/** Each value of an annotation of a workload gets one Event, however many processes find it. */
function stateSuffix({ uid, problem }: UnreadableReport): string {
  return suffixOf([uid, problem.annotation, problem.value, problem.problem]);
}

/** Each hold gets one Event, however often the workload is checked meanwhile. */
function holdSuffix({ uid, reason, why, untilMs }: HoldReport): string {
  return suffixOf([uid, reason, why, untilMs ?? 0]);
}

function suffixOf(identity: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 20);
}
