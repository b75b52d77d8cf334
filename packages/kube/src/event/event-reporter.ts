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
  const lifetime = new AbortController();
  const senders = new EventSenders(options, lifetime.signal);

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
      await atMost(graceMs, options.clock, senders.drained());
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
    const sender = kind === undefined ? undefined : senders.of(cluster, report.clusterName);
    if (kind === undefined || sender === undefined) options.meter.notified("event", "dropped", 1);
    else sender.put({ workload, kind, uid, text, suffix, atMs });
  }
}

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

  of(cluster: ClusterId, clusterName: string): ClusterEvents | undefined {
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

  /** A cluster that is no longer engaged, or engaged anew, needs nothing of what was remembered of it. */
  #forgetGone(): void {
    for (const [cluster, { connection }] of this.#clusters)
      if (this.#options.connectionOf(cluster) !== connection) this.#clusters.delete(cluster);
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
