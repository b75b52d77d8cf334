import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { type Reporter, reportToEach } from "@fleet-reloader/engine/ports/reporter";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { createEventReporter } from "@fleet-reloader/kube/event/event-reporter";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { alertBody } from "@fleet-reloader/notify/alert-body";
import { alertText } from "@fleet-reloader/notify/alert-text";
import { createReceiver } from "@fleet-reloader/notify/post";
import { webhookBody } from "@fleet-reloader/notify/webhook-body";
import { createWebhookNotifier, type StoppableReporter } from "@fleet-reloader/notify/webhook-notifier";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { notifyFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { userAgent } from "@fleet-reloader/runtime/process/version";

export interface ReportingOptions {
  readonly config: ConfigOf<typeof notifyFields>;
  readonly fleet: Fleet;
  /** With several clusters an alert has to say which. */
  readonly isFleet: boolean;
  readonly settings: Settings;
  /** Which of our processes speaks in Events. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

/** What is not sent by then is given up: nobody waits for a chat at the end. */
const graceMs = 2000;
/** Machines read faster than people. */
const webhookLimits = { singlesMax: 200, windowMs: 10_000 } as const;

/** Whom the worker tells what it did: Events on workloads, alerts for people, a webhook for machines. */
export function startReporting(options: ReportingOptions): {
  readonly reporter: Reporter;
  stop(): Promise<void>;
} {
  const listeners: readonly StoppableReporter[] = [
    ...eventReporters(options),
    ...alertReporters(options),
    ...webhookReporters(options),
  ];
  return {
    reporter: reportToEach(listeners, options.log),
    async stop() {
      await Promise.all(listeners.map((listener) => listener.stop(graceMs)));
    },
  };
}

function eventReporters(options: ReportingOptions): readonly StoppableReporter[] {
  if (!options.config.events) return [];
  const { fleet, settings } = options;
  return [
    createEventReporter({
      ...options,
      workloadKinds: settings.workloadKinds,
      connectionOf: (cluster) => fleet.get(cluster)?.connection,
    }),
  ];
}

function alertReporters(options: ReportingOptions): readonly StoppableReporter[] {
  const { config, isFleet, log } = options;
  const {
    alertOnReload: onReload,
    alertOnFailure: onFailure,
    alertWebhookUrl: url,
    alertSink: sink,
  } = config;
  if (!onReload && !onFailure) return [];
  if (url === undefined) {
    log.error({ reason: "config.invalid" }, "alerts are on and have no address; set ALERT_WEBHOOK_URL");
    return [];
  }
  const wording = { additionalInfo: config.alertAdditionalInfo, isClusterNamed: isFleet };
  return [
    createWebhookNotifier({
      ...options,
      ...{ onReload, onFailure, singlesMax: config.alertBurst, windowMs: config.alertWindow },
      channel: "alert",
      receiver: createReceiver({ url, userAgent, ...proxy(config.alertWebhookProxy) }),
      bodyOf: (letter) => alertBody(sink, alertText(letter, wording), letter),
    }),
  ];
}

function webhookReporters(options: ReportingOptions): readonly StoppableReporter[] {
  const { notifyWebhookUrl: url, notifyWebhookProxy, notifyWebhookTokenFile: tokenFile } = options.config;
  if (url === undefined) return [];
  const token = tokenFile === "" ? {} : { tokenFile };
  return [
    createWebhookNotifier({
      ...options,
      ...{ onReload: true, onFailure: true, ...webhookLimits },
      channel: "webhook",
      receiver: createReceiver({ url, userAgent, ...token, ...proxy(notifyWebhookProxy) }),
      bodyOf: webhookBody,
    }),
  ];
}

function proxy(url: URL | undefined): { readonly proxyUrl?: URL } {
  return url === undefined ? {} : { proxyUrl: url };
}
