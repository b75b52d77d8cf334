import { inGroup } from "../field.ts";
import { boolean, duration, requestHeaders, textValue, webAddress, wholeNumber } from "../types.ts";

const notifyGroup = "Alerts and notices";
const sinks = ["slack", "teams", "gchat", "raw"] as const;

/** The mode of the peer in which nothing is rolled. Watchers and workers need the same value. */
export const webhookModeFields = inGroup(notifyGroup, {
  webhookUrl: {
    schema: webAddress(),
    meta: {
      flag: "webhook-url",
      peer: "--webhook-url",
      placeholder: "URL",
      description:
        "Roll nothing. Instead call this URL for each ConfigMap or Secret whose content changes; the call does not name it.",
      isSecret: true,
      remark: (given) =>
        given === "" ? undefined : "no workload is rolled; to roll and be notified use --notify-webhook-url",
    },
  },
});

/** Where a worker sends the stages of changes and rolls. */
export const traceFields = inGroup(notifyGroup, {
  otlpEndpoint: {
    schema: webAddress(),
    meta: {
      flag: "otlp-endpoint",
      // The name that OpenTelemetry gives it: https://opentelemetry.io/docs/specs/otel/protocol/exporter/
      env: "OTEL_EXPORTER_OTLP_ENDPOINT",
      placeholder: "URL",
      description:
        "OpenTelemetry collector that receives a trace for each roll, by OTLP over HTTP as JSON at /v1/traces below this URL, for example http://collector:4318.",
      isSecret: true,
      defaultText: "none: nothing is traced",
    },
  },
  otlpHeaders: {
    schema: requestHeaders(),
    meta: {
      flag: "otlp-headers",
      // The same page names it.
      env: "OTEL_EXPORTER_OTLP_HEADERS",
      placeholder: "NAME=VALUE,…",
      description:
        "Headers of the requests to the collector, for example authorization=Bearer%20TOKEN. Treat them like a password: set them as a variable from a Secret.",
      isSecret: true,
    },
  },
});

const receiverFields = inGroup(notifyGroup, {
  events: {
    schema: boolean(true),
    meta: {
      flag: "events",
      placeholder: "BOOL",
      description: "Create Kubernetes Events on workloads: rolled, failed, unreadable annotation.",
      isSwitch: true,
    },
  },
  alertOnReload: {
    // The peer accepts only the exact text. A typo must not prevent the start.
    schema: textValue("false").transform((given) => given === "true"),
    meta: {
      flag: "alert-on-reload",
      peer: "ALERT_ON_RELOAD",
      env: "ALERT_ON_RELOAD",
      placeholder: "BOOL",
      description: "Send an alert for every roll to --alert-webhook-url.",
      isSwitch: true,
      remark: (given) =>
        given === "true" || /^(0|f|false)$/i.test(given)
          ? undefined
          : "no alerts are sent; write exactly true to send them",
    },
  },
  alertOnFailure: {
    schema: boolean(false),
    meta: {
      flag: "alert-on-failure",
      placeholder: "BOOL",
      description:
        "Send an alert for every workload that cannot be rolled, once an hour by each worker while this lasts, and for every rollout that fails after a roll.",
      isSwitch: true,
    },
  },
  alertSink: {
    schema: textValue("raw").transform((given) => sinkOf(given) ?? "raw"),
    meta: {
      flag: "alert-sink",
      peer: "ALERT_SINK",
      env: "ALERT_SINK",
      placeholder: "SINK",
      description: "Format of alerts: slack, teams, gchat, or raw for plain text.",
      remark: (given) =>
        given.trim() === "" || sinkOf(given) !== undefined
          ? undefined
          : `is no kind of sink; raw is used. Write one of ${sinks.join(", ")}`,
    },
  },
  alertWebhookUrl: {
    schema: webAddress(),
    meta: {
      flag: "alert-webhook-url",
      peer: "ALERT_WEBHOOK_URL",
      env: "ALERT_WEBHOOK_URL",
      placeholder: "URL",
      description: "URL that receives alerts. Treat it like a password: set it as a variable from a Secret.",
      readWith: ["alertOnReload", "alertOnFailure"],
      isSecret: true,
    },
  },
  alertWebhookProxy: {
    schema: webAddress(),
    meta: {
      flag: "alert-webhook-proxy",
      peer: "ALERT_WEBHOOK_PROXY",
      env: "ALERT_WEBHOOK_PROXY",
      placeholder: "URL",
      description: "HTTP proxy for --alert-webhook-url.",
      readWith: ["alertOnReload", "alertOnFailure"],
      isSecret: true,
    },
  },
  alertAdditionalInfo: {
    schema: textValue("").transform((given) => given.trim()),
    meta: {
      flag: "alert-additional-info",
      peer: "ALERT_ADDITIONAL_INFO",
      env: "ALERT_ADDITIONAL_INFO",
      placeholder: "TEXT",
      description: "Text at the beginning of every alert, for example the name of the installation.",
    },
  },
  alertBurst: {
    schema: wholeNumber("10", 1, 1000),
    meta: {
      flag: "alert-burst",
      placeholder: "COUNT",
      description:
        "Maximum single alerts within --alert-window. Further alerts are one alert with the count at the end of the window.",
    },
  },
  alertWindow: {
    schema: duration("30s"),
    meta: {
      flag: "alert-window",
      placeholder: "DURATION",
      description: "Period that --alert-burst counts in.",
    },
  },
  notifyWebhookUrl: {
    schema: webAddress(),
    meta: {
      flag: "notify-webhook-url",
      placeholder: "URL",
      description: "URL that receives each roll and each failure as JSON; see docs/reference/webhook.md.",
      isSecret: true,
    },
  },
  notifyWebhookProxy: {
    schema: webAddress(),
    meta: {
      flag: "notify-webhook-proxy",
      placeholder: "URL",
      description: "HTTP proxy for --notify-webhook-url.",
      isSecret: true,
    },
  },
  notifyWebhookTokenFile: {
    schema: textValue(""),
    meta: {
      flag: "notify-webhook-token-file",
      placeholder: "FILE",
      description: "File with the bearer token for --notify-webhook-url. It is read for each call.",
    },
  },
  metaInfoNamespace: {
    schema: textValue(""),
    meta: {
      flag: "meta-info-namespace",
      peer: "RELOADER_NAMESPACE",
      env: "RELOADER_NAMESPACE",
      placeholder: "NAME",
      description:
        "Namespace in the first cluster in which the ConfigMap reloader-meta-info is written at the start.",
      defaultText: "it is not written",
    },
  },
  metaInfoDeployment: {
    schema: textValue(""),
    meta: {
      flag: "meta-info-deployment",
      peer: "RELOADER_DEPLOYMENT_NAME",
      env: "RELOADER_DEPLOYMENT_NAME",
      placeholder: "NAME",
      description: "Name of our own Deployment, recorded in reloader-meta-info.",
    },
  },
});

const countFields = inGroup("Log, probes and dashboard", {
  countByNamespace: {
    schema: textValue("disabled").transform((given) => given === "enabled" || given === "true"),
    meta: {
      flag: "metrics-count-by-namespace",
      peer: "METRICS_COUNT_BY_NAMESPACE",
      env: "METRICS_COUNT_BY_NAMESPACE",
      placeholder: "enabled",
      description:
        "Export reloader_reload_executed_total_by_namespace, which has names of namespaces as labels.",
      isSwitch: true,
      remark: (given) =>
        /^(enabled|true|disabled|false)$/.test(given)
          ? undefined
          : "rolls are not counted by namespace; write exactly enabled to count them",
    },
  },
});

/** The receivers of a worker's notifications. */
export const notifyFields = { ...webhookModeFields, ...receiverFields, ...countFields } as const;

function sinkOf(given: string): (typeof sinks)[number] | undefined {
  const name = given.trim().toLowerCase();
  return sinks.find((sink) => sink === name);
}
