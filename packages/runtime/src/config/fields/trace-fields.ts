import { webAddress } from "../types.ts";

/** Where a worker sends the stages of changes and rolls. */
export const traceFields = {
  otlpEndpoint: {
    schema: webAddress(),
    meta: {
      group: "History",
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
} as const;
