import type { FieldMeta } from "../field.ts";
import { isLoopbackHost } from "../loopback.ts";
import { csvList, listenAddress } from "../types.ts";

/** Labels as in DNS. Underscores are allowed, since names of containers contain them. */
const hostName = /^[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*$/i;

/** The listen address, and the host names that requests may use. */
export const httpFields = {
  listenAddress: {
    schema: listenAddress("127.0.0.1:9090"),
    meta: {
      group: "Log, probes and dashboard",
      flag: "listen-address",
      env: "FLEET_RELOADER_LISTEN_ADDRESS",
      placeholder: "HOST:PORT",
      description:
        "Address of /live, /ready and /metrics. Watchers also serve the queue depth at /work, for scaling the workers.",
    },
  },
  allowedHosts: {
    schema: csvList().refine(
      (names) => names.every((name) => hostName.test(name)),
      "holds something that is no host name; write names without scheme and port, for example reloader.tools.svc",
    ),
    meta: {
      group: "Log, probes and dashboard",
      flag: "allowed-hosts",
      env: "FLEET_RELOADER_ALLOWED_HOSTS",
      placeholder: "NAMES",
      description:
        "Host names that requests to our pages may use. Always allowed are localhost, IP addresses and the name in the listen address. Other names get 421, so that a web page cannot read ours through a name that points to us.",
      defaultText: "none",
      isList: true,
    },
  },
} as const;

/** Flags of processes with a dashboard. */
export const dashboardFields = {
  dashboardAddress: {
    schema: listenAddress("127.0.0.1:8080"),
    meta: {
      group: "Log, probes and dashboard",
      flag: "dashboard-address",
      env: "FLEET_RELOADER_DASHBOARD_ADDRESS",
      placeholder: "HOST:PORT",
      description:
        "Address of the page (/), the API (/api/v1), the queue dashboard (/queues) and the history as JSON lines (/history). All are read-only and have no login. Page and API answer at a loopback address only.",
      remark: (text) =>
        isLoopbackHost(text.replace(/:\d+$/, ""))
          ? undefined
          : {
              level: "warn",
              says: "there is no login: everybody who reaches this address reads which objects change, when and by whom. Write 127.0.0.1 and forward the port, or restrict access by a proxy or a NetworkPolicy",
            },
    },
  },
} as const satisfies Readonly<Record<string, { readonly schema: unknown; readonly meta: FieldMeta }>>;
