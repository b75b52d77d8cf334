import { inGroup } from "../config/field.ts";
import { oneOf, optionalListenAddress, textValue } from "../config/types.ts";

/** How the changes of a cluster are noticed. The label of a registration has the same values. */
export const eventSources = ["watch", "audit", "both"] as const;

export type EventSourceMode = (typeof eventSources)[number];

/** How changes are noticed, and where audit events are received. */
export const hintFields = inGroup("Audit events", {
  eventSource: {
    schema: oneOf(eventSources, "watch"),
    meta: {
      flag: "event-source",
      placeholder: "SOURCE",
      description:
        "How changes are noticed: watch holds watches open; audit lists once, then reads what audit events point to, and needs no right to watch; both watches, and uses audit events only to tell who made a change. The label fleet-reloader.io/event-source of a registration sets it for one cluster; when it changes, the cluster is listed and watched anew.",
    },
  },
  auditListenAddress: {
    schema: optionalListenAddress(),
    meta: {
      flag: "audit-listen-address",
      placeholder: "HOST:PORT",
      description:
        "Address that receives audit.k8s.io/v1 events of API servers or Amazon Data Firehose, over HTTPS. It needs --audit-tls-cert-file, --audit-tls-key-file, and --audit-client-ca-file or --audit-token-file.",
      defaultText: "none: no audit events are received",
    },
  },
  auditTlsCertFile: {
    schema: textValue(""),
    meta: {
      flag: "audit-tls-cert-file",
      placeholder: "FILE",
      description:
        "Certificate of --audit-listen-address, with its intermediates (PEM). A renewed file is used within a minute.",
      defaultText: "none",
    },
  },
  auditTlsKeyFile: {
    schema: textValue(""),
    meta: {
      flag: "audit-tls-key-file",
      placeholder: "FILE",
      description: "Private key of --audit-listen-address (PEM).",
      defaultText: "none",
    },
  },
  auditClientCaFile: {
    schema: textValue(""),
    meta: {
      flag: "audit-client-ca-file",
      placeholder: "FILE",
      description:
        "Certificate authority of the API servers' client certificates (PEM). The common name of a certificate is the name of its cluster. Use an authority that signs nothing else.",
      defaultText: "none",
    },
  },
  auditTokenFile: {
    schema: textValue(""),
    meta: {
      flag: "audit-token-file",
      placeholder: "FILE",
      description:
        "Bearer tokens of the API servers, or access keys of Firehose: CLUSTER sha256:HEX per line, the SHA-256 of the token. Use random tokens of at least 32 characters.",
      defaultText: "none",
    },
  },
});
