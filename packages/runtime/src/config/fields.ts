import { reloadStrategies } from "@fleet-reloader/domain/strategy/reload-strategy";
import { annotationFields } from "./fields/annotation-fields.ts";
import { httpFields } from "./fields/http-fields.ts";
import { kindFields } from "./fields/kind-fields.ts";
import { limitFields } from "./fields/limit-fields.ts";
import { logFields } from "./fields/log-fields.ts";
import { scopeFields } from "./fields/scope-fields.ts";
import { withoutEffectFields } from "./fields/without-effect-fields.ts";
import { secretKey } from "./secret-key.ts";
import { boolean, csvList, duration, oneOf, textValue, wholeNumber } from "./types.ts";

/** Which clusters, and where Redis is: what every service needs. */
export const connectionFields = {
  kubeconfig: {
    schema: textValue(""),
    meta: {
      group: "Clusters and Redis",
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
      group: "Clusters and Redis",
      flag: "context",
      env: "FLEET_RELOADER_CONTEXTS",
      placeholder: "NAME",
      description: "Context of the kubeconfig; each is a cluster. May be given several times.",
      defaultText: "the current context",
      isList: true,
    },
  },
  redisUrl: {
    schema: textValue(""),
    meta: {
      group: "Clusters and Redis",
      flag: "redis-url",
      env: "FLEET_RELOADER_REDIS_URL",
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
      group: "Clusters and Redis",
      flag: "redis-password-secret",
      env: "FLEET_RELOADER_REDIS_PASSWORD_SECRET",
      placeholder: "NAMESPACE/NAME[/KEY]",
      description:
        "Secret with the password for --redis-url, in the cluster it runs in, or else in the first given one; KEY is password when absent. Where there is no such Secret it is made, with a random password, for a Redis that takes its own from there.",
      defaultText: "none",
    },
  },
  shards: {
    // Each shard has a queue, and each queue costs a worker a connection: far more than any Redis Cluster has nodes is waste.
    schema: wholeNumber("1", 1, 64),
    meta: {
      group: "Clusters and Redis",
      flag: "shards",
      env: "FLEET_RELOADER_SHARDS",
      placeholder: "COUNT",
      description:
        "Into how many parts the keys in Redis are divided, so that the nodes of a Redis Cluster share the load. The same for all watchers and workers of one Redis.",
    },
  },
  dataDir: {
    schema: textValue(""),
    meta: {
      group: "Clusters and Redis",
      flag: "data-dir",
      env: "FLEET_RELOADER_DATA_DIR",
      placeholder: "DIR",
      description: "Folder of the mark key and of the embedded Redis.",
      defaultText: "$XDG_STATE_HOME/fleet-reloader or ~/.local/state/fleet-reloader",
    },
  },
  ...httpFields,
  ...limitFields,
  ...logFields,
  ...withoutEffectFields,
} as const;

/** What workloads are told to do unless they say otherwise. Watchers and workers must agree on it. */
export const ruleFields = {
  ...scopeFields,
  debounce: {
    schema: duration("2s"),
    meta: {
      group: "When and how a workload rolls",
      flag: "debounce",
      env: "FLEET_RELOADER_DEBOUNCE",
      placeholder: "DURATION",
      description:
        "Quiet period: a workload rolls when none of its sources has changed for this long. 0 rolls at once.",
    },
  },
  maxWait: {
    schema: duration("30s"),
    meta: {
      group: "When and how a workload rolls",
      flag: "max-wait",
      env: "FLEET_RELOADER_MAX_WAIT",
      placeholder: "DURATION",
      description: "The longest a change waits for quiet.",
    },
  },
  reloadStrategy: {
    // The peer's chart calls it `default` to let the product choose.
    schema: oneOf([...reloadStrategies, "default"], "annotations").transform((strategy) =>
      strategy === "default" ? "annotations" : strategy,
    ),
    meta: {
      group: "When and how a workload rolls",
      flag: "reload-strategy",
      peer: "--reload-strategy",
      env: "FLEET_RELOADER_RELOAD_STRATEGY",
      placeholder: "STRATEGY",
      description:
        "How a pod template is changed: annotations (an annotation on it) or env-vars (a variable in one container).",
    },
  },
  autoReloadAll: {
    schema: boolean(false),
    meta: {
      group: "What is served",
      flag: "auto-reload-all",
      peer: "--auto-reload-all",
      env: "FLEET_RELOADER_AUTO_RELOAD_ALL",
      placeholder: "BOOL",
      description: "Serve every workload that does not opt out, without annotations.",
      isSwitch: true,
    },
  },
  ...kindFields,
  ...annotationFields,
} as const;

/** What only workers need. */
export const workerFields = {
  markKeyFile: {
    schema: textValue(""),
    meta: {
      group: "Worker",
      flag: "mark-key-file",
      env: "FLEET_RELOADER_MARK_KEY_FILE",
      placeholder: "FILE",
      description:
        "Keys of the marks, 64 hexadecimal characters a line, the current one first. All workers need the same.",
      defaultText: "mark.key in the data dir, made at the first start",
    },
  },
  markKeySecret: {
    schema: secretKey("mark.key"),
    meta: {
      group: "Worker",
      flag: "mark-key-secret",
      env: "FLEET_RELOADER_MARK_KEY_SECRET",
      placeholder: "NAMESPACE/NAME[/KEY]",
      description:
        "The same in a Secret of the cluster it runs in, or else of the first given one; KEY is mark.key when absent. Where there is no such Secret it is made, with a random key.",
      defaultText: "none",
    },
  },
  forgetOldKeys: {
    schema: boolean(false),
    meta: {
      group: "Worker",
      flag: "forget-old-keys",
      env: "FLEET_RELOADER_FORGET_OLD_KEYS",
      placeholder: "BOOL",
      description:
        "Start also when this Redis was used with a key that --mark-key-file does not hold, which is refused otherwise. What is noted with that key counts no more: changes that were waiting are judged by times alone. Give it once, when the key is lost.",
      isSwitch: true,
    },
  },
  concurrency: {
    schema: wholeNumber("32", 1, 1000),
    meta: {
      group: "Worker",
      flag: "concurrency",
      env: "FLEET_RELOADER_CONCURRENCY",
      placeholder: "COUNT",
      description:
        "Workloads of one cluster that a worker process handles at once; of all clusters together twice as many.",
    },
  },
} as const;

/** Of those that watch clusters. */
export const auditFields = {
  auditInterval: {
    schema: duration("12h"),
    meta: {
      group: "When and how a workload rolls",
      flag: "audit-interval",
      env: "FLEET_RELOADER_AUDIT_INTERVAL",
      placeholder: "DURATION",
      description:
        "Every workload that opts in is looked at once in this time, spread evenly and after all other work, and rolls if a change of its sources was missed; fleet_reloader_audit_findings_total counts these and should stay 0. 0: never. A look is work: where workers start from zero, each wakes one, so give 0 or a long interval there.",
    },
  },
} as const;

/** Of those that are always on, and tell how much there is to do. */
export const scalingFields = {
  workHorizon: {
    // A pod that has to be scheduled, with its image pulled, and a few questions of who scales.
    schema: duration("60s"),
    meta: {
      group: "Scaling of workers",
      flag: "work-horizon",
      env: "FLEET_RELOADER_WORK_HORIZON",
      placeholder: "DURATION",
      description:
        "What /work counts: requests that are due now or within this time, which is what a worker takes to start.",
    },
  },
} as const;
