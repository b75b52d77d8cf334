import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { type Reporter, reportToEach } from "@fleet-reloader/engine/ports/reporter";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
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
  /** There may be several clusters: an alert names the cluster. */
  readonly isFleet: boolean;
  readonly settings: Settings;
  /** The name of this process in Events. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
}

/** Reports that are unsent by then are dropped: the end of a process does not wait for a chat. */
const reportGraceMs = 2000;
/** Machines read faster than people. */
const webhookLimits = { singlesMax: 200, windowMs: 10_000 } as const;

export interface Reporting {
  readonly reporter: Reporter;
  stop(): Promise<void>;
}

/** Reports what the worker did: Events on workloads, alerts for people, a webhook for machines. */
export function startReporting(options: ReportingOptions): Reporting {
  const listeners: readonly StoppableReporter[] = [
    ...eventReporters(options),
    ...alertReporters(options),
    ...webhookReporters(options),
  ];
  return {
    reporter: reportToEach(listeners, options.log),
    async stop() {
      await Promise.all(listeners.map((listener) => listener.stop(reportGraceMs)));
    },
  };
}

function eventReporters(options: ReportingOptions): readonly StoppableReporter[] {
  const { clock, config, fleet, instance, log, meter, random, settings } = options;
  if (!config.events) return [];
  const { workloadKinds } = settings;
  const connectionOf = (cluster: ClusterId) => fleet.get(cluster)?.connection;
  return [createEventReporter({ connectionOf, workloadKinds, instance, clock, random, log, meter })];
}

function alertReporters(options: ReportingOptions): readonly StoppableReporter[] {
  const { clock, config, isFleet, log, meter, random } = options;
  const { alertOnReload, alertOnFailure, alertSink, alertWebhookUrl: url } = config;
  if (!alertOnReload && !alertOnFailure) return [];
  if (url === undefined) {
    log.error({ reason: "config.invalid" }, "alerts are on and have no address; set ALERT_WEBHOOK_URL");
    return [];
  }
  const wording = { additionalInfo: config.alertAdditionalInfo, isClusterNamed: isFleet };
  return [
    createWebhookNotifier({
      channel: "alert",
      receiver: createReceiver({ url, userAgent, ...proxy(config.alertWebhookProxy) }),
      bodyOf: (letter) => alertBody(alertSink, alertText(letter, wording), letter),
      onReload: alertOnReload,
      onFailure: alertOnFailure,
      singlesMax: config.alertBurst,
      windowMs: config.alertWindow,
      clock,
      random,
      log,
      meter,
    }),
  ];
}

function webhookReporters(options: ReportingOptions): readonly StoppableReporter[] {
  const { clock, config, log, meter, random } = options;
  const { notifyWebhookUrl: url, notifyWebhookProxy, notifyWebhookTokenFile: tokenFile } = config;
  if (url === undefined) return [];
  const token = tokenFile === "" ? {} : { tokenFile };
  return [
    createWebhookNotifier({
      channel: "webhook",
      receiver: createReceiver({ url, userAgent, ...token, ...proxy(notifyWebhookProxy) }),
      bodyOf: webhookBody,
      onReload: true,
      onFailure: true,
      singlesMax: webhookLimits.singlesMax,
      windowMs: webhookLimits.windowMs,
      clock,
      random,
      log,
      meter,
    }),
  ];
}

function proxy(url: URL | undefined): { readonly proxyUrl?: URL } {
  return url === undefined ? {} : { proxyUrl: url };
}
