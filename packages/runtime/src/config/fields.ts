import { parseDuration } from "@fleet-reloader/domain/duration";
import { reloadStrategies } from "@fleet-reloader/domain/strategy/reload-strategy";
import { inGroup } from "./field.ts";
import { annotationFields } from "./fields/annotation-fields.ts";
import { httpFields } from "./fields/http-fields.ts";
import { kindFields } from "./fields/kind-fields.ts";
import { limitFields } from "./fields/limit-fields.ts";
import { logFields } from "./fields/log-fields.ts";
import { scopeFields } from "./fields/scope-fields.ts";
import { withoutEffectFields } from "./fields/without-effect-fields.ts";
import { secretKey } from "./secret-key.ts";
import { boolean, csvList, duration, oneOf, optionalListenAddress, textValue, wholeNumber } from "./types.ts";

const clusterAndRedisFields = inGroup("Clusters and Redis", {
  kubeconfig: {
    schema: textValue(""),
    meta: {
      flag: "kubeconfig",
      peer: "KUBECONFIG",
      env: "KUBECONFIG",
      placeholder: "FILE",
      description:
        "Kubeconfig with the clusters to serve. Several files, separated by colons, are merged as kubectl merges them.",
      defaultText: "~/.kube/config when it exists, otherwise the ServiceAccount of the pod we run in",
    },
  },
  contexts: {
    schema: csvList(),
    meta: {
      flag: "context",
      env: "FLEET_RELOADER_CONTEXTS",
      placeholder: "NAME",
      description: "Context of the kubeconfig to serve as a cluster. May be given several times.",
      defaultText: "the current context",
      isList: true,
    },
  },
  redisUrl: {
    schema: textValue(""),
    meta: {
      flag: "redis-url",
      placeholder: "URL",
      description:
        "Redis 7.0 or newer, or Valkey: redis://[user:password@]host:port[/db], or rediss:// for TLS. A Redis Cluster: redis-cluster://[user:password@]host:port,host:port, or rediss-cluster://.",
      isSecret: true,
      defaultText: "an embedded redis-server (standalone only)",
    },
  },
  redisPasswordSecret: {
    schema: secretKey("password"),
    meta: {
      flag: "redis-password-secret",
      placeholder: "NAMESPACE/NAME[/KEY]",
      description:
        "Secret with the password for --redis-url, in the cluster we run in, or else in the first given cluster. KEY defaults to password. A missing Secret is created with a random password, for a Redis that reads its own password from it.",
      defaultText: "none",
    },
  },
  shards: {
    // Each shard has a queue, and each queue costs a worker a connection: more shards than a large Redis Cluster has nodes are waste.
    schema: wholeNumber("1", 1, 64),
    meta: {
      flag: "shards",
      placeholder: "COUNT",
      description:
        "Number of parts that the keys in Redis are divided into, so that the nodes of a Redis Cluster share the load. It must be the same for all watchers and workers of one Redis.",
    },
  },
  dataDir: {
    schema: textValue(""),
    meta: {
      flag: "data-dir",
      placeholder: "DIR",
      description: "Folder for the mark key and the embedded Redis.",
      defaultText: "$XDG_STATE_HOME/fleet-reloader or ~/.local/state/fleet-reloader",
    },
  },
});

/** What every service needs: the clusters and the address of Redis. */
export const connectionFields = {
  ...clusterAndRedisFields,
  ...httpFields,
  ...limitFields,
  ...logFields,
  ...withoutEffectFields,
} as const;

const quietPeriodDefault = "2s";

/** A change waits for the quiet period at least. */
function remarkOnMaxWait(text: string, textOf: (field: string) => string): string | undefined {
  const debounce = textOf("debounce") || quietPeriodDefault;
  if ((parseDuration(text) ?? 0) >= (parseDuration(debounce) ?? 0)) return undefined;
  return `is shorter than the quiet period, so a change waits for ${debounce}; write at least --max-wait=${debounce}`;
}

const rollFields = inGroup("When and how a workload rolls", {
  debounce: {
    schema: duration(quietPeriodDefault),
    meta: {
      flag: "debounce",
      placeholder: "DURATION",
      description:
        "Quiet period: a workload rolls when none of its sources has changed for this time. 0 rolls at once.",
    },
  },
  maxWait: {
    schema: duration("30s"),
    meta: {
      flag: "max-wait",
      placeholder: "DURATION",
      description: "Maximum time that a change waits for the quiet period.",
      remark: remarkOnMaxWait,
    },
  },
  reloadStrategy: {
    // The peer's chart calls it `default` to let the product choose.
    schema: oneOf([...reloadStrategies, "default"], "annotations").transform((strategy) =>
      strategy === "default" ? "annotations" : strategy,
    ),
    meta: {
      flag: "reload-strategy",
      peer: "--reload-strategy",
      placeholder: "STRATEGY",
      description:
        "How a pod template is changed: annotations writes an annotation on it, env-vars writes a variable in one container.",
    },
  },
});

const optInFields = inGroup("What is served", {
  autoReloadAll: {
    schema: boolean(false),
    meta: {
      flag: "auto-reload-all",
      peer: "--auto-reload-all",
      placeholder: "BOOL",
      description: "Serve every workload, also without annotations, unless it opts out.",
      isSwitch: true,
    },
  },
});

/** Defaults that annotations of a workload may override. Watchers and workers need the same values. */
export const ruleFields = {
  ...scopeFields,
  ...rollFields,
  ...optInFields,
  ...kindFields,
  ...annotationFields,
} as const;

/** What only workers need. */
export const workerFields = inGroup("Worker", {
  markKeyFile: {
    schema: textValue(""),
    meta: {
      flag: "mark-key-file",
      placeholder: "FILE",
      description:
        "File with the keys of the marks: 64 hexadecimal characters per line, the current key first. All workers need the same keys. To change the key, add the new one as the second line everywhere, restart all, then swap the lines.",
      defaultText: "mark.key in the data dir, created at the first start",
    },
  },
  markKeySecret: {
    schema: secretKey("mark.key"),
    meta: {
      flag: "mark-key-secret",
      placeholder: "NAMESPACE/NAME[/KEY]",
      description:
        "Secret with the keys of the marks, in the cluster we run in, or else in the first given cluster. KEY defaults to mark.key. A missing Secret is created with a random key.",
      defaultText: "none",
    },
  },
  forgetOldKeys: {
    schema: boolean(false),
    meta: {
      flag: "forget-old-keys",
      placeholder: "BOOL",
      description:
        "Start although this Redis was used with a key that --mark-key-file lacks. Without this flag such a start is refused. The applied state recorded with that key no longer counts: pending changes are judged by times alone. Give it once, when the key is lost.",
      isSwitch: true,
    },
  },
  concurrency: {
    schema: wholeNumber("32", 1, 1000),
    meta: {
      flag: "concurrency",
      placeholder: "COUNT",
      description:
        "Maximum workloads of one cluster that a worker handles at once. For all clusters together it is twice as many.",
    },
  },
});

/** Flags of processes that watch clusters. */
export const auditFields = inGroup("When and how a workload rolls", {
  auditInterval: {
    schema: duration("12h"),
    meta: {
      flag: "audit-interval",
      placeholder: "DURATION",
      description:
        "Check every opted-in workload, and each that opted out until it is cleaned up, once in this period, spread evenly and after all other work. A workload rolls if a change of its sources was missed; fleet_reloader_audit_findings_total counts these and should stay 0. 0 means never. Each check wakes a worker, so use 0 or a long interval where workers start from zero.",
    },
  },
});

/** Flags of processes that are always on and report the queue depth. */
export const scalingFields = inGroup("Scaling of workers", {
  workHorizon: {
    // Time to schedule a pod and pull its image, plus a few polls of the scaler.
    schema: duration("60s"),
    meta: {
      flag: "work-horizon",
      placeholder: "DURATION",
      description:
        "/work counts requests that are due now or within this time. Set it to the time that a worker takes to start.",
    },
  },
  scalerListenAddress: {
    schema: optionalListenAddress(),
    meta: {
      flag: "scaler-listen-address",
      placeholder: "HOST:PORT",
      description:
        "Address of a gRPC server for the external-push trigger of KEDA. It reports the queue depth as /work does, and wakes a worker as soon as work begins.",
      defaultText: "none",
    },
  },
  scalerTlsCertFile: {
    schema: textValue(""),
    meta: {
      flag: "scaler-tls-cert-file",
      placeholder: "FILE",
      description:
        "Certificate of the server at --scaler-listen-address, in PEM. A renewed file is used within a minute.",
      defaultText: "none: no TLS",
    },
  },
  scalerTlsKeyFile: {
    schema: textValue(""),
    meta: {
      flag: "scaler-tls-key-file",
      placeholder: "FILE",
      description: "Key of --scaler-tls-cert-file, in PEM.",
      defaultText: "none",
    },
  },
  scalerClientCaFile: {
    schema: textValue(""),
    meta: {
      flag: "scaler-client-ca-file",
      placeholder: "FILE",
      description:
        "Certificate authorities in PEM. Clients of --scaler-listen-address must show a certificate of one of them.",
      defaultText: "none: everybody who reaches the address may ask",
    },
  },
});
