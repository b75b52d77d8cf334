import { eventSources } from "../../packages/runtime/src/audit/hint-fields.ts";
import { closed, count, list, map, text, toggle } from "./value.ts";

/** Where API servers send audit events to; docs/audit.md says what for. */
export const auditValues = closed(
  "Receive audit events of API servers, in the watchers or in the one pod. See docs/audit.md.",
  {
    enabled: toggle(false, "Listen for them. Flag --audit-listen-address."),
    port: count(9443, "Port of the listener, and of its Service."),
    eventSource: text(
      "both",
      "How changes are noticed: both watches, and tells from the events who made a change; audit holds no watch; watch drops the events. Flag --event-source.",
      { enum: [...eventSources, null] },
    ),
    serverSecret: text(
      "",
      "Secret with the certificate of the listener: tls.crt and tls.key. It must be valid for the name by which the API servers reach it. Needed.",
    ),
    clientCaSecret: text(
      "",
      "Secret with the authority of the API servers' client certificates, in ca.crt. Needed where there is no tokenSecret.",
    ),
    tokenSecret: text("", "Secret with the tokens of the API servers: CLUSTER sha256:HEX per line."),
    tokenSecretKey: text("tokens", "Key of the tokens in that Secret."),
    service: closed(
      "The Service through which the events come. API servers are often outside of the pod network.",
      {
        type: text("ClusterIP", "ClusterIP, NodePort or LoadBalancer.", {
          enum: ["ClusterIP", "NodePort", "LoadBalancer", null],
        }),
        annotations: map("Its annotations, such as those for a load balancer."),
      },
    ),
    from: list("Peers that may send events, with reloader.netpol.enabled; empty means everywhere."),
  },
);
