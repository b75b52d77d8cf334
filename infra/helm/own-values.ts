import type { ConfigShape } from "../../packages/runtime/src/config/field.ts";
import { dashboardFields, ruleFields, workerFields } from "../../packages/runtime/src/config/fields.ts";
import { historyFields } from "../../packages/runtime/src/config/history-fields.ts";
import { closed, count, type Fields, type Leaf, leaf, list, text, toggle } from "./value.ts";

/** What a value has to look like, by how the configuration's help writes it; the process itself judges the rest. */
const patterns: Readonly<Record<string, string>> = {
  DURATION: String.raw`^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`,
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

/** The values that only this chart has. A typo in here is refused. */
export const ownValues: Fields = {
  fleetReloader: closed("What fleet-reloader adds.", {
    debounce: fromConfig(ruleFields.debounce),
    maxWait: fromConfig(ruleFields.maxWait),
    concurrency: fromConfig(workerFields.concurrency),
    listenAddress: text("0.0.0.0:9090", "Serves /live, /ready and /metrics. Flag --listen-address.", {
      pattern: patterns["HOST:PORT"],
    }),
    dashboardAddress: fromConfig(dashboardFields.dashboardAddress),
    redis: closed(
      "A Redis (6.2 or newer, or Valkey, maxmemory-policy noeviction) that several replicas share. Without one each pod has its own inside.",
      {
        url: text("", "redis://host:port or rediss://…, without a password.", {
          pattern: "^(rediss?://.+)?$",
        }),
        existingSecret: text("", "Secret with the URL, for one with a password."),
        existingSecretKey: text("url", "Key of the URL in that Secret."),
        port: count(6379, "For the NetworkPolicy, when the URL is in a Secret."),
      },
    ),
    markKey: closed(
      "The key of the digests noted on workloads. When it is lost, every workload is adopted anew.",
      {
        create: toggle(
          true,
          "Make a Secret with a random key at the first install; upgrades and reinstalls keep it. false without existingSecret: a key in the data dir.",
        ),
        existingSecret: text(
          "",
          "Secret with your own key. Needed wherever templates are rendered without the cluster, as Argo CD does: there each rendering would make a new one.",
        ),
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
    historyRetention: fromConfig(historyFields.historyRetention),
    historyMaxLength: fromConfig(historyFields.historyMaxLength),
    listPods: toggle(
      true,
      "The right to list pods: why a rollout fails is then told by its pods, long before its deadline. Without it the status of the workload has to do.",
    ),
    maxHeapMiB: leaf(null, "integer", "Heap limit of Node instead of the image's 256.", { minimum: 32 }),
    args: list("More flags."),
    extraRules: list(
      "More rights where it serves, for kinds of workloads that args declare: rules as in a Role.",
    ),
  }),
};
