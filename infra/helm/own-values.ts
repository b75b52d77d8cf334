import type { ConfigShape } from "../../packages/runtime/src/config/field.ts";
import { brakeFields } from "../../packages/runtime/src/config/fields/brake-fields.ts";
import { historyFields } from "../../packages/runtime/src/config/fields/history-fields.ts";
import { dashboardFields } from "../../packages/runtime/src/config/fields/http-fields.ts";
import { connectionFields, ruleFields, workerFields } from "../../packages/runtime/src/config/fields.ts";
import {
  closed,
  count,
  digestPattern,
  type Fields,
  type Leaf,
  leaf,
  list,
  map,
  text,
  toggle,
} from "./value.ts";

/** What a value has to look like, by how the configuration's help writes it; the process itself judges the rest. */
const patterns: Readonly<Record<string, string>> = {
  DURATION: String.raw`^(0|([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|[0-9]+(\.[0-9]+)?d)$`,
  "HOST:PORT": String.raw`^(\[[0-9a-fA-F:]+\]|[^:\[\]]*):[0-9]{1,5}$`,
  COUNT: "^[0-9]+$",
};

/** A value that becomes a flag: its default, its shape and its words are the configuration's. */
function fromConfig(field: ConfigShape[string]): Leaf {
  const json: unknown = field.schema.toJSONSchema({ unrepresentable: "any", io: "input" });
  const standard = typeof json === "object" && json !== null && "default" in json ? String(json.default) : "";
  const pattern = patterns[field.meta.placeholder];
  const types = field.meta.placeholder === "COUNT" ? ["string", "integer"] : "string";
  return leaf(standard, types, `${field.meta.description} Flag --${field.meta.flag}.`, {
    ...(pattern === undefined ? {} : { pattern }),
  });
}

/** Watchers and workers apart, on one Redis. */
const hub: Fields = {
  watcher: closed("The watchers: always on, they share the clusters.", {
    replicas: count(2, "How many."),
    resources: map("Requests and limits; those of reloader.deployment when empty."),
    args: list("More flags of theirs."),
  }),
  worker: closed("The workers.", {
    replicas: count(2, "How many, without KEDA."),
    resources: map("Requests and limits; those of reloader.deployment when empty."),
    args: list("More flags of theirs."),
  }),
  keda: closed(
    "Scale the workers by what there is to do: a ScaledObject of KEDA 2.20 or newer asks the watchers.",
    {
      enabled: toggle(false, "Make it; worker.replicas is not used then."),
      pollingInterval: count(5, "Seconds between two questions while there is no worker."),
      cooldownPeriod: count(
        120,
        "Seconds without work before the last worker goes, and before the HPA takes one away.",
      ),
      minReplicaCount: count(0, "Workers without work."),
      maxReplicaCount: count(20, "Workers at the most."),
      workPerReplica: count(25, "Requests for each worker: about four fifths of what it handles at once."),
      fallback: closed("When the watchers do not answer.", {
        failureThreshold: count(3, "After so many questions."),
        replicas: count(2, "So many workers, or as many as there are, if that is more."),
      }),
      namespace: text(
        "keda",
        "Where KEDA runs: let in by the NetworkPolicy when reloader.netpol.from is set.",
      ),
    },
  ),
  valkey: closed(
    "A small Valkey of the release's own, for those who have no Redis: one pod, with a password.",
    {
      enabled: toggle(false, "Make it."),
      image: text("valkey/valkey:8.1", "Its image; a Redis has no valkey-server and will not do."),
      digest: text("", "sha256:… of the image; wins over its tag.", { pattern: digestPattern }),
      existingSecret: text(
        "",
        "Secret with the password, letters and digits only. When empty the watchers and workers make one with a random password, once.",
      ),
      existingSecretKey: text("password", "Key of the password in that Secret."),
      persistence: closed("Its append-only file, written every second. What is lost is compared anew.", {
        enabled: toggle(true, "Keep it in a PersistentVolumeClaim; an emptyDir otherwise."),
        size: text("1Gi", "Size of the claim."),
        storageClassName: text("", "Its class; the cluster's default when empty."),
      }),
      resources: map("Requests and limits. It keeps three quarters of the memory limit at the most.", {
        requests: { cpu: "50m", memory: "128Mi" },
        limits: { memory: "512Mi" },
      }),
    },
  ),
};

const clusters: Fields = {
  kubeconfigSecrets: leaf(
    [],
    "array",
    "Secrets of the release's namespace whose keys (*.yaml, *.yml, *.kubeconfig) are kubeconfigs; each context is a cluster. Flag --kubeconfig-dir.",
    // The name of their volume, `clusters-` before it, is a DNS label of at most 63 characters.
    { items: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,52}[a-z0-9])?$" } },
  ),
  secrets: leaf(
    [],
    "array",
    "Clusters whose kubeconfigs lie in Secrets that others make: PRESET or PRESET=NAMESPACE, for example cluster-api. Flag --cluster-secrets; the rights come with it.",
    { items: { type: "string", pattern: "^[a-z0-9-]+(=[a-z0-9-]+)?$" } },
  ),
  argocdNamespace: text(
    "",
    "Namespace of the Argo CD whose clusters are served, too. Flag --argocd-clusters; the rights come with it.",
  ),
  serveHub: toggle(true, "Serve the cluster it runs in, too. Flag --serve-hub."),
};

const notices: Fields = {
  events: toggle(true, "Make Kubernetes Events on workloads. Flag --events."),
  alertOnFailure: toggle(
    false,
    "Send alerts for workloads that cannot be rolled, too. Flag --alert-on-failure.",
  ),
  alertBurst: leaf("", ["string", "integer"], "Alerts sent one by one; 10 when empty. Flag --alert-burst.", {
    pattern: "^[0-9]*$",
  }),
  alertWindow: text("", "Within this time; 30s when empty. Flag --alert-window.", {
    pattern: `^$|${patterns.DURATION}`,
  }),
};

/** The values that only this chart has. A typo in here is refused. */
export const ownValues: Fields = {
  fleetReloader: closed("What fleet-reloader adds.", {
    mode: text(
      "standalone",
      "standalone: one pod does it all. hub: watchers and workers apart, on one Redis.",
      {
        enum: ["standalone", "hub"],
      },
    ),
    hub: closed("Of the mode hub. What reloader.deployment says counts for both, but for replicas.", hub),
    clusters: closed("Where clusters come from, beside the one it runs in.", clusters),
    notices: closed("Who is told; addresses go into reloader.deployment.env.", notices),
    workloadKinds: leaf(
      [],
      "array",
      "Further kinds: group/version/Kind[:plural]=path.to.template. Their rights go into extraRules. Flag --workload-kinds.",
      { items: { type: "string" } },
    ),
    reloadSuspended: toggle(false, "Run suspended CronJobs and Jobs, too. Flag --reload-suspended."),
    reloadFinished: toggle(false, "Run Jobs again that have finished. Flag --reload-finished."),
    debounce: fromConfig(ruleFields.debounce),
    maxWait: fromConfig(ruleFields.maxWait),
    concurrency: fromConfig(workerFields.concurrency),
    listenAddress: text(
      "0.0.0.0:9090",
      "Serves /live, /ready and /metrics; watchers also /work, by which workers are scaled. Flag --listen-address.",
      { pattern: patterns["HOST:PORT"] },
    ),
    allowedHosts: leaf(
      [],
      "array",
      "More names by which its pages may be asked, say those of an Ingress, without scheme and port. Its Services' names and IP addresses may anyway. Flag --allowed-hosts.",
      { items: { type: "string", pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$" } },
    ),
    dashboardAddress: fromConfig(dashboardFields.dashboardAddress),
    redis: closed(
      "A Redis (7.0 or newer, or Valkey, maxmemory-policy noeviction) that several replicas share. Without one each pod has its own inside.",
      {
        url: text(
          "",
          "redis://host:port or rediss://…; a Redis Cluster: redis-cluster://host:port,host:port or rediss-cluster://…. Without a password.",
          { pattern: "^(rediss?(-cluster)?://.+)?$" },
        ),
        existingSecret: text("", "Secret with the URL, for one with a password."),
        existingSecretKey: text("url", "Key of the URL in that Secret."),
        port: count(6379, "For the NetworkPolicy, when the URL is in a Secret."),
        caSecret: text(
          "",
          "Secret with the certificate of the authority that a rediss:// server's is signed by.",
        ),
        caSecretKey: text("ca.crt", "Key of the certificate in that Secret."),
      },
    ),
    markKey: closed(
      "The key of the digests noted on workloads. When it is lost, every workload is adopted anew.",
      {
        create: toggle(
          true,
          "The product makes the Secret <name>-mark-key with a random key at its first start and keeps it; upgrades and reinstalls do, too. false without existingSecret: a key in the data dir.",
        ),
        existingSecret: text("", "Secret with your own key."),
        existingSecretKey: text(
          "mark.key",
          "Key in that Secret; 64 hexadecimal characters a line, the current one first.",
        ),
      },
    ),
    persistence: closed(
      "The data dir (embedded Redis). Nothing is lost without it: what matters is on the workloads.",
      {
        enabled: toggle(false, "Keep it in a PersistentVolumeClaim; an emptyDir otherwise."),
        existingClaim: text("", "A claim that exists."),
        size: text("1Gi", "Size of the claim that is made."),
        storageClassName: text("", "Its class; the cluster's default when empty."),
        accessModes: leaf(["ReadWriteOnce"], "array", "Its access modes."),
      },
    ),
    networkPolicy: closed("Ways out beside the API server's (reloader.netpol.to).", {
      apiServerPorts: leaf(
        [443, 6443],
        "array",
        "Ports of API servers; 6443 where the network filters after address translation.",
      ),
      dnsTo: list("Where DNS servers are; empty: everywhere."),
      redisTo: list("Where Redis is; empty: everywhere."),
      alertPorts: leaf(
        [443, 80],
        "array",
        "Ports of webhooks; opened when webhookUrl, an ALERT_ variable or alertTo is set.",
      ),
      alertTo: list("Where webhooks are; empty: everywhere."),
      extraEgress: list("More egress rules, as in a NetworkPolicy."),
    }),
    shards: fromConfig(connectionFields.shards),
    brakes: closed("How much may be rolled, and what may not for now.", {
      freezeConfigMap: text(
        "",
        "ConfigMap of the release's namespace whose key freezes.yaml says what is frozen; the right to read it comes with it. Empty: none in standalone, the full name with -freezes in hub. Flag --freeze-configmap.",
      ),
      breakerWorkload: fromConfig(brakeFields.breakerWorkload),
      breakerSource: fromConfig(brakeFields.breakerSource),
      budgetFleet: fromConfig(brakeFields.budgetFleet),
      budgetCluster: fromConfig(brakeFields.budgetCluster),
      budgetNamespace: fromConfig(brakeFields.budgetNamespace),
    }),
    historyRetention: fromConfig(historyFields.historyRetention),
    historyMaxLength: fromConfig(historyFields.historyMaxLength),
    listPods: toggle(
      true,
      "The right to list pods: why a rollout fails is then told by its pods, long before its deadline. Without it the status of the workload has to do.",
    ),
    maxHeapMiB: leaf(
      null,
      "integer",
      "Heap limit of Node. When empty half of the container's memory limit, and without one the image's 512.",
      { minimum: 32 },
    ),
    // 25 s for requests under way, 2 s each for history and reports, and some for the rest: more than Kubernetes' 30.
    terminationGracePeriodSeconds: leaf(
      45,
      "integer",
      "How long a pod has to end what is under way and to write what it has to tell; it takes up to 32 s.",
      { minimum: 1 },
    ),
    args: list("More flags."),
    extraRules: list(
      "More rights where it serves, for kinds of workloads that are declared: rules as in a Role. In a hub the watchers have of them list and watch, the workers all but watch.",
    ),
  }),
};
