import type { ConfigShape } from "../../packages/runtime/src/config/field.ts";
import { brakeFields } from "../../packages/runtime/src/config/fields/brake-fields.ts";
import { historyFields } from "../../packages/runtime/src/config/fields/history-fields.ts";
import { dashboardFields } from "../../packages/runtime/src/config/fields/http-fields.ts";
import { connectionFields, ruleFields, workerFields } from "../../packages/runtime/src/config/fields.ts";
import { accessValues } from "./access-values.ts";
import { auditValues } from "./audit-values.ts";
import { hubValues } from "./hub-values.ts";
import { closed, count, type Fields, type Leaf, leaf, list, map, text, toggle } from "./value.ts";

/** What a value has to look like, by how the configuration's help writes it; the process itself judges the rest. */
const patterns: Readonly<Record<string, string>> = {
  DURATION: String.raw`^(0|([0-9]+(\.[0-9]+)?d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|[0-9]+(\.[0-9]+)?d)$`,
  "HOST:PORT": String.raw`^(\[[0-9a-fA-F:]+\]|[^:\[\]]*):[0-9]{1,5}$`,
  COUNT: "^[0-9]+$",
};

/** A 0 is a number in YAML and behind `--set`. Other numbers have no unit. */
const orZero = { types: ["string", "integer"], more: { minimum: 0, maximum: 0 } } as const;

/** A value that becomes a flag: its default, its shape and its words are the configuration's. */
function fromConfig(field: ConfigShape[string]): Leaf {
  const json: unknown = field.schema.toJSONSchema({ unrepresentable: "any", io: "input" });
  const standard = typeof json === "object" && json !== null && "default" in json ? String(json.default) : "";
  const pattern = patterns[field.meta.placeholder];
  const isCount = field.meta.placeholder === "COUNT";
  const mayBeZero = !isCount && field.schema.safeParse("0").success;
  const types = isCount || mayBeZero ? orZero.types : "string";
  return leaf(standard, types, `${field.meta.description} Flag --${field.meta.flag}.`, {
    ...(pattern === undefined ? {} : { pattern }),
    ...(mayBeZero ? orZero.more : {}),
  });
}

const clusters: Fields = {
  kubeconfigSecrets: leaf(
    [],
    "array",
    "Secrets in the release's namespace whose keys (*.yaml, *.yml, *.kubeconfig) are kubeconfigs. Each context is a cluster. Flag --kubeconfig-dir.",
    // The name of their volume, `clusters-` before it, is a DNS label of at most 63 characters.
    { items: { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,52}[a-z0-9])?$" } },
  ),
  secrets: leaf(
    [],
    "array",
    "Clusters whose kubeconfigs lie in Secrets of another tool: PRESET or PRESET=NAMESPACE, for example cluster-api. The chart grants the rights. Flag --cluster-secrets.",
    { items: { type: "string", pattern: "^[a-z0-9-]+(=[a-z0-9-]+)?$" } },
  ),
  argocdNamespace: text(
    "",
    "Namespace of an Argo CD whose clusters are served too. The chart grants the rights. Flag --argocd-clusters.",
  ),
  profiles: text(
    "",
    "Namespace of the ClusterProfiles (multicluster.x-k8s.io/v1alpha1) whose clusters are served too, or * for all namespaces. The chart grants the rights. Flag --cluster-profiles.",
    { pattern: String.raw`^(\*|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$` },
  ),
  serveHub: toggle(
    true,
    "Also serve the cluster that it runs in. When false and clusters are registered, only the rights to find them are granted there. Flag --serve-hub.",
  ),
};

const notices: Fields = {
  events: toggle(true, "Create Kubernetes Events on workloads. Flag --events."),
  alertOnFailure: toggle(
    false,
    "Also send alerts for workloads that cannot be rolled. Flag --alert-on-failure.",
  ),
  alertBurst: leaf(
    "",
    ["string", "integer"],
    "Maximum single alerts within alertWindow; 10 when empty. Flag --alert-burst.",
    {
      pattern: "^[0-9]*$",
    },
  ),
  alertWindow: leaf(
    "",
    orZero.types,
    "Period that alertBurst counts in; 30s when empty. Flag --alert-window.",
    { pattern: `^$|${patterns.DURATION}`, ...orZero.more },
  ),
};

/** The values that only this chart has. A typo in here is refused. */
export const ownValues: Fields = {
  fleetReloader: closed("Values of fleet-reloader alone.", {
    mode: text(
      "standalone",
      "standalone: one pod does everything. hub: watchers, workers and the dashboard are separate Deployments on one Redis.",
      {
        enum: ["standalone", "hub"],
      },
    ),
    hub: closed("The mode hub. reloader.deployment applies to all Deployments, except replicas.", hubValues),
    audit: auditValues,
    clusters: closed("Where clusters come from, in addition to the one it runs in.", clusters),
    notices: closed("Notifications. Addresses go into reloader.deployment.env.", notices),
    workloadKinds: leaf(
      [],
      "array",
      "Further kinds to serve: group/version/Kind[:plural]=path.to.template. Put their rights into extraRules. Flag --workload-kinds.",
      { items: { type: "string" } },
    ),
    reloadSuspended: toggle(false, "Also run suspended CronJobs and Jobs. Flag --reload-suspended."),
    reloadFinished: toggle(false, "Run finished Jobs again. Flag --reload-finished."),
    reloadConcurrent: toggle(
      false,
      "Also run a CronJob with the concurrencyPolicy Forbid while one of its Jobs has not ended. Flag --reload-concurrent.",
    ),
    debounce: fromConfig(ruleFields.debounce),
    maxWait: fromConfig(ruleFields.maxWait),
    concurrency: fromConfig(workerFields.concurrency),
    listenAddress: text(
      ":9090",
      "Address of /live, /ready and /metrics. Watchers also serve the queue depth at /work, for scaling the workers. Without a host it listens at all addresses, of IPv6 and IPv4. Flag --listen-address.",
      { pattern: patterns["HOST:PORT"] },
    ),
    allowedHosts: leaf(
      [],
      "array",
      "Further host names that requests to its pages may use, such as that of an Ingress, without scheme and port. The names of its Services and IP addresses are always allowed. Flag --allowed-hosts.",
      { items: { type: "string", pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]*$" } },
    ),
    dashboardAddress: fromConfig(dashboardFields.dashboardAddress),
    access: closed("Who may look and act at the page of standalone, or of a hub's dashboard.", accessValues),
    redis: closed(
      "A Redis (7.0 or newer, or Valkey, maxmemory-policy noeviction) that several replicas share. Without it each pod has an embedded Redis.",
      {
        url: text(
          "",
          "redis://host:port or rediss://…; a Redis Cluster: redis-cluster://host:port,host:port or rediss-cluster://…. Without a password.",
          { pattern: "^(rediss?(-cluster)?://.+)?$" },
        ),
        existingSecret: text("", "Secret with the URL. Use it when the URL has a password."),
        existingSecretKey: text("url", "Key of the URL in that Secret."),
        port: count(6379, "Port for the NetworkPolicy when the URL is in a Secret."),
        caSecret: text(
          "",
          "Secret with the certificate of the authority that signed the certificate of a rediss:// server.",
        ),
        caSecretKey: text("ca.crt", "Key of the certificate in that Secret."),
      },
    ),
    markKey: closed(
      "The key of the digests on workloads. When it is lost, pending changes are judged by times alone and every workload is adopted again.",
      {
        create: toggle(
          true,
          "The product creates the Secret <name>-mark-key with a random key at its first start. Upgrades and reinstalls keep it. When false and existingSecret is empty, the key is in the data dir.",
        ),
        existingSecret: text("", "Secret with your own key."),
        existingSecretKey: text(
          "mark.key",
          "Key in that Secret. Its value has 64 hexadecimal characters per line, the current key first.",
        ),
      },
    ),
    persistence: closed(
      "The data dir (embedded Redis). Persistence is optional, because the applied state is on the workloads.",
      {
        enabled: toggle(
          false,
          "Keep it in a PersistentVolumeClaim; an emptyDir otherwise, and for several replicas, whose work is in the Redis they share.",
        ),
        existingClaim: text("", "A claim that exists."),
        size: text("1Gi", "Size of the created claim."),
        storageClassName: text("", "Its class; the cluster's default when empty."),
        accessModes: leaf(["ReadWriteOnce"], "array", "Its access modes."),
      },
    ),
    networkPolicy: closed("Egress in addition to the API server (reloader.netpol.to).", {
      apiServerPorts: leaf(
        [443, 6443],
        "array",
        "Ports of API servers, also of registered clusters and of the proxies before them. 6443 is for networks that filter after address translation.",
      ),
      dnsTo: list("Peers of DNS servers; empty means everywhere."),
      redisTo: list("Peers of Redis; empty means everywhere."),
      alertPorts: leaf(
        [443, 80],
        "array",
        "Ports of webhooks, in addition to those of the URLs and proxies in these values. They are open when webhookUrl, an ALERT_ variable, FLEET_RELOADER_NOTIFY_WEBHOOK_URL, their flags or alertTo is set. Name here the port of a URL that is in a Secret of yours.",
      ),
      alertTo: list("Peers of webhooks; empty means everywhere."),
      extraEgress: list("More egress rules, as in a NetworkPolicy."),
    }),
    shards: fromConfig(connectionFields.shards),
    brakes: closed("Limits of rolls, and freezes.", {
      freezeConfigMap: text(
        "",
        "ConfigMap in the release's namespace whose key freezes.yaml lists the freezes. The chart grants the right to read it, and standalone and the page of a hub the right to write it. When empty: the full name with -freezes; standalone has none where reloader.rbac.enabled is false, or where your flags or variables name a ConfigMap of freezes or a kubeconfig. Flag --freeze-configmap.",
      ),
      breakerWorkload: fromConfig(brakeFields.breakerWorkload),
      breakerSource: fromConfig(brakeFields.breakerSource),
      budgetFleet: fromConfig(brakeFields.budgetFleet),
      budgetCluster: fromConfig(brakeFields.budgetCluster),
      budgetNamespace: fromConfig(brakeFields.budgetNamespace),
    }),
    prometheusRule: closed(
      "Alerts for the Prometheus operator. What to do about each is in docs/operate/runbooks.md.",
      {
        enabled: toggle(false, "Create a PrometheusRule. The cluster needs monitoring.coreos.com/v1."),
        namespace: text("", "Its namespace; that of the release when empty."),
        labels: map("More labels of it, such as those that the operator selects."),
      },
    ),
    historyRetention: fromConfig(historyFields.historyRetention),
    historyMaxLength: fromConfig(historyFields.historyMaxLength),
    listPods: toggle(
      true,
      "Grant the right to list pods. Then the pods show why a rollout fails, long before its deadline. Without it only the status of the workload is used.",
    ),
    maxHeapMiB: leaf(
      null,
      "integer",
      "Heap limit of Node. When empty, it is half of the container's memory limit, or the image's 512 without such a limit. It has to be well below that limit, in every process of a hub.",
      { minimum: 32 },
    ),
    // 25 s for requests under way, 2 s each for history and reports, and some for the rest: more than Kubernetes' 30.
    terminationGracePeriodSeconds: leaf(
      45,
      "integer",
      "Time for a pod to finish its work and to write history and reports. It takes up to 32 s.",
      { minimum: 1 },
    ),
    args: list("More flags."),
    extraRules: list(
      "Further rights for declared kinds of workloads, as rules of a Role. In a hub the watchers have get, list and watch of them, the workers all except watch, the dashboard get and list.",
    ),
  }),
};
