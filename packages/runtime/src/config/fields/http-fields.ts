import { inGroup } from "../field.ts";
import { isLoopbackHost } from "../loopback.ts";
import { csvList, listenAddress, textValue } from "../types.ts";
import { forwardAuthFields } from "./sign-in/forward-auth-fields.ts";
import { oidcFields } from "./sign-in/oidc-fields.ts";

/** Labels as in DNS. Underscores are allowed, since names of containers contain them. */
const hostName = /^[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*$/i;

/** The listen address, and the host names that requests may use. */
export const httpFields = inGroup("Log, probes and dashboard", {
  listenAddress: {
    schema: listenAddress("127.0.0.1:9090"),
    meta: {
      flag: "listen-address",
      placeholder: "HOST:PORT",
      description:
        "Address of /live, /ready and /metrics. Watchers also serve the queue depth at /work, for scaling the workers. Without a host, as in :9090, it listens at all addresses, of IPv6 and IPv4.",
    },
  },
  allowedHosts: {
    schema: csvList().refine(
      (names) => names.every((name) => hostName.test(name)),
      "holds something that is no host name; write names without scheme and port, for example reloader.tools.svc",
    ),
    meta: {
      flag: "allowed-hosts",
      placeholder: "NAMES",
      description:
        "Host names that requests to our pages may use. Always allowed are localhost, IP addresses and the name in the listen address, and at --listen-address the names of Services: names without a dot, and those that end in .svc or .svc.cluster.local. Other names get 421, so that a web page cannot read ours through a name that points to us.",
      defaultText: "none",
      isList: true,
    },
  },
});

const dashboardServerFields = inGroup("Log, probes and dashboard", {
  dashboardAddress: {
    schema: listenAddress("127.0.0.1:8080"),
    meta: {
      flag: "dashboard-address",
      placeholder: "HOST:PORT",
      description:
        "Address of the page (/), the API (/api/v1), the queue dashboard (/queues) and the history as JSON lines (/history). Without --access-file there is no login, and page and API answer at a loopback address only.",
      remark: remarkOnAddress,
    },
  },
  accessFile: {
    schema: textValue(""),
    meta: {
      flag: "access-file",
      placeholder: "FILE",
      description:
        "File (YAML or JSON) that says who may look and act at --dashboard-address: people and machines with hashes of their tokens, and their roles by cluster and namespace. It is read again when it changes. With it page and API answer at any address, and only who signs in.",
      defaultText: "none: no login, and read-only",
    },
  },
  dashboardTlsCertFile: {
    schema: textValue(""),
    meta: {
      flag: "dashboard-tls-cert-file",
      placeholder: "FILE",
      description:
        "Certificate of the server at --dashboard-address, in PEM. A renewed file is used within a minute.",
      defaultText: "none: no TLS",
    },
  },
  dashboardTlsKeyFile: {
    schema: textValue(""),
    meta: {
      flag: "dashboard-tls-key-file",
      placeholder: "FILE",
      description: "Key of --dashboard-tls-cert-file, in PEM.",
      defaultText: "none",
    },
  },
});

/** Flags of processes with a dashboard. */
export const dashboardFields = {
  ...dashboardServerFields,
  ...oidcFields,
  ...forwardAuthFields,
} as const;

function remarkOnAddress(text: string, textOf: (field: string) => string): string | undefined {
  if (isLoopbackHost(text.replace(/:\d+$/, ""))) return undefined;
  if (textOf("accessFile") === "")
    return "there is no login: everybody who reaches this address reads which objects change, when and by whom. Let people sign in with --access-file, or write 127.0.0.1 and forward the port";
  if (textOf("dashboardTlsCertFile") !== "") return undefined;
  return "there is no TLS: tokens and sessions are readable on the way. Give --dashboard-tls-cert-file and --dashboard-tls-key-file, or let nobody but a proxy with TLS reach this address";
}
