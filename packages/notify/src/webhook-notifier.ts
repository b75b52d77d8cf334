import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Channel, Meter } from "@fleet-reloader/engine/ports/meter";
import type { HoldReport, Reporter } from "@fleet-reloader/engine/ports/reporter";
import { isUrgent, type Notification } from "./notification.ts";
import { type Letter, Outbox } from "./outbox.ts";
import type { Body, Receiver } from "./post.ts";
import { Repeats } from "./repeats.ts";

export interface NotifierOptions {
  readonly channel: Channel;
  readonly receiver: Receiver;
  readonly bodyOf: (letter: Letter<Notification>) => Body;
  readonly onReload: boolean;
  readonly onFailure: boolean;
  readonly singlesMax: number;
  readonly windowMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

export interface StoppableReporter extends Reporter {
  /** Sends what is queued, for at most this long. */
  stop(graceMs: number): Promise<void>;
}

/** Sends reports to an outside receiver, through a separate outbox. It does not send unreadable annotations: their authors get an Event. */
export function createWebhookNotifier(options: NotifierOptions): StoppableReporter {
  const { receiver, channel, singlesMax, windowMs, clock, random, log, meter } = options;
  const repeats = new Repeats();
  const outbox = new Outbox<Notification>({
    channel,
    send: (letter, signal) => receiver.post(options.bodyOf(letter), signal),
    isUrgent,
    typeOf: ({ type }) => type,
    singlesMax,
    windowMs,
    clock,
    random,
    log,
    meter,
  });
  return {
    rolled(report) {
      repeats.ended(report);
      if (options.onReload) outbox.put({ type: "rolled", report });
    },
    failed(report) {
      if (!options.onFailure) return;
      if (repeats.isNews(report)) outbox.put({ type: "failed", report });
      else meter.notified(channel, "repeated", 1);
    },
    ended(report) {
      if (options.onFailure && report.result === "failed") outbox.put({ type: "rollout-failed", report });
    },
    held(report) {
      if (!options.onFailure || !isWorthTelling(report)) return;
      if (repeats.isNews(report)) outbox.put({ type: "held", report });
      else meter.notified(channel, "repeated", 1);
    },
    unreadable() {
      // Nobody outside the cluster can fix it.
    },
    async stop(graceMs) {
      await outbox.stop(graceMs);
      await receiver.close();
    },
  };
}

/**
 * Whether a hold needs a person. A loop or an unreadable document does. A freeze does not, because people declared it, and a budget gives each
 * workload its turn.
 */
function isWorthTelling({ reason }: HoldReport): boolean {
  return reason === "SourceLooping" || reason === "WorkloadLooping" || reason === "FreezeUnreadable";
}
