import {
  count,
  digestPattern,
  type Fields,
  leaf,
  list,
  map,
  mapOf,
  open,
  text,
  toggle,
  unset,
} from "./value.ts";

/**
 * The values of Stakater Reloader's chart 2.2.16, kept by hand: same names, and the same defaults where they mean
 * something here. Where a default differs, its text says so.
 */
const probeKeys = [
  "timeoutSeconds",
  "failureThreshold",
  "periodSeconds",
  "successThreshold",
  "initialDelaySeconds",
];
const probe =
  "overrides timeoutSeconds 5, failureThreshold 5, periodSeconds 10, successThreshold 1, initialDelaySeconds";

const customAnnotations = [
  ...["configmap", "secret", "auto", "configmap_auto", "secret_auto", "search", "match", "ignore"],
  ...["pausePeriod", "pauseTime"],
];

const scrape: Fields = {
  namespace: unset("string", "Namespace of the monitor; the release's when empty."),
  interval: unset("string", "How often; Prometheus' default when empty."),
  timeout: unset("string", "How long one scrape may take."),
  scheme: unset("string", "http or https."),
  tlsConfig: map("TLS settings of the scrape."),
  labels: map("Labels by which your Prometheus finds monitors."),
  annotations: map("Annotations of the monitor."),
  honorLabels: toggle(true, "Keep the labels of a metric when they collide with the target's."),
  metricRelabelings: list("Relabelings of samples."),
  relabelings: list("Relabelings of the target."),
};

const environment: Fields = {
  open: map("Variables with plain values: name → value. Empty values are left out."),
  secret: map(
    "Variables whose values are put into a Secret of this release: name → value, for example ALERT_WEBHOOK_URL. A new value reaches a pod with its next start only: kubectl rollout restart deployment -l app=<full name>.",
  ),
  field: map("Variables read from the pod's own fields: name → fieldPath."),
  existing: map("Variables from Secrets that exist: Secret → variable → key."),
};

const deployment: Fields = {
  replicas: count(
    1,
    "Instances. More than one needs fleetReloader.redis, which they share; without it there is one.",
  ),
  revisionHistoryLimit: count(2, "Old ReplicaSets kept for a rollback."),
  hostUsers: unset("boolean", "false runs the pod in a user namespace of its own."),
  dnsConfig: map("dnsConfig of the pod."),
  nodeSelector: map("nodeSelector of the pod."),
  affinity: map("Affinity of the pod; several replicas avoid each other's nodes unless something is set."),
  tolerations: list("Tolerations of the pod."),
  topologySpreadConstraints: list("topologySpreadConstraints of the pod."),
  volumes: list("More volumes of the pod."),
  volumeMounts: list("More mounts of the container."),
  securityContext: map(
    "securityContext of the pod. runAsGroup and fsGroup are added, since its volumes must be readable and writable. With runAsUser: null, as OpenShift needs it, both are left out, unless you set others.",
    {
      runAsNonRoot: true,
      runAsUser: 65_534,
      runAsGroup: 65_534,
      fsGroup: 65_534,
      seccompProfile: { type: "RuntimeDefault" },
    },
  ),
  containerSecurityContext: map("securityContext of the container. That of Stakater Reloader is empty.", {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  }),
  annotations: map("Annotations of the Deployment."),
  labels: map(
    "More labels of Deployment and pods. The labels provider, group and version of Stakater Reloader are not set.",
  ),
  pod: open("The pod template.", { annotations: map("Annotations of the pods.") }),
  env: open(
    "More environment variables, alerts among them. POD_NAME and what the process says of itself may be others than the chart sets. Those that another value sets are refused.",
    environment,
  ),
  livenessProbe: mapOf(probeKeys, `Of /live: ${probe} 10.`),
  readinessProbe: mapOf(probeKeys, `Of /ready (Stakater Reloader: /metrics): ${probe} 2.`),
  resources: map(
    "Requests and limits of the container. When empty, it requests 10m CPU and 128Mi, and the memory limit is 512Mi. Stakater Reloader sets none.",
  ),
  priorityClassName: text("", "Priority of the pods."),
  runtimeClassName: text("", "RuntimeClass of the pods."),
  schedulerName: text("", "Scheduler of the pods."),
  imagePullSecrets: unset("array", "Pull secrets of the pods, beside those of global.imagePullSecrets."),
  automountServiceAccountToken: unset(
    "boolean",
    "Whether the token is mounted. The pods need one: false is refused unless volumes and volumeMounts bring it, or a kubeconfig is named.",
  ),
  gomaxprocsOverride: leaf("", ["string", "integer"], "Accepted, without effect: it is for the Go runtime."),
  gomemlimitOverride: leaf(
    "",
    ["string", "integer"],
    "Accepted, without effect; see fleetReloader.maxHeapMiB.",
  ),
};

const reloader: Fields = {
  autoReloadAll: toggle(false, "Serve every workload, also without annotations, unless it opts out."),
  isArgoRollouts: toggle(false, "Serve Argo Rollouts."),
  isOpenshift: toggle(
    false,
    "Grant the rights to DeploymentConfigs, and open the port of its DNS in the NetworkPolicy, also when templates are rendered without the cluster.",
  ),
  ignoreSecrets: toggle(false, "Ignore Secrets and grant no right to them."),
  ignoreConfigMaps: toggle(false, "Ignore ConfigMaps and grant no right to them."),
  ignoreJobs: toggle(false, "Exclude Jobs."),
  ignoreCronJobs: toggle(false, "Exclude CronJobs."),
  reloadOnCreate: toggle(false, "The creation of a ConfigMap or Secret counts as a change."),
  reloadOnDelete: toggle(false, "The deletion of a ConfigMap or Secret counts as a change."),
  syncAfterRestart: toggle(
    false,
    "Accepted, without effect: changes missed during a restart are always rolled.",
  ),
  reloadStrategy: text("default", "default (annotations), annotations or env-vars.", {
    enum: ["default", "env-vars", "annotations", null],
  }),
  ignoreNamespaces: text(
    "",
    "Namespaces to exclude, by their exact names, comma-separated; only with watchGlobally.",
  ),
  namespaceSelector: text(
    "",
    "Label selectors of the namespaces to serve, comma-separated; only with watchGlobally.",
  ),
  resourceLabelSelector: text("", "Label selectors of the ConfigMaps and Secrets to serve, comma-separated."),
  logFormat: text("", "Empty for text, or json."),
  logLevel: text("info", "trace, debug, info, warning, error, fatal or panic."),
  watchGlobally: toggle(
    true,
    "true serves all namespaces with a ClusterRole. false serves the release's namespace and those of namespaces, with Roles.",
  ),
  namespaces: leaf(
    [],
    ["array", "string"],
    "The namespaces to serve when watchGlobally is false, as list or comma-separated. The release's is added.",
    {
      items: { type: "string" },
    },
  ),
  enableHA: toggle(
    false,
    "Accepted, without effect: instances on one Redis share the work without a leader or a Lease.",
  ),
  enablePProf: toggle(false, "Passed on as --enable-pprof."),
  pprofAddr: text(":6060", "Passed on as --pprof-addr."),
  enableCSIIntegration: toggle(false, "Serve the secret provider classes of the Secrets Store CSI driver."),
  readOnlyRootFileSystem: toggle(
    true,
    "The container can write only to its data dir and /tmp. The default of Stakater Reloader is false.",
  ),
  legacy: open("Values for old clusters.", { rbac: toggle(false, "Accepted, without effect.") }),
  matchLabels: map("More labels of all objects, and of the selector."),
  enableMetricsByNamespace: toggle(false, "Also count reloads by namespace."),
  webhookUrl: text(
    "",
    "Call this URL instead of reloading anything, and grant no right to workloads. Works without custom_annotations.",
  ),
  custom_annotations: mapOf(customAnnotations, `Other annotation keys: ${customAnnotations.join(", ")}.`),
  deployment: open("The Deployment.", deployment),
  service: mapOf(
    ["port", "labels", "annotations", "ipFamilyPolicy", "ipFamilies"],
    "Rendered when not empty, or with serviceMonitor: port (9090), labels, annotations, ipFamilyPolicy, ipFamilies. It leads to the page, too, where fleetReloader.dashboardAddress lets others reach it.",
  ),
  rbac: open("Roles and bindings.", {
    enabled: toggle(true, "Create them."),
    labels: map("More labels of them."),
  }),
  serviceAccount: open("The ServiceAccount.", {
    create: toggle(true, "Create it."),
    labels: map("Labels of it."),
    annotations: map("Annotations of it."),
    name: unset("string", "Its name; the release's full name when empty."),
    automountServiceAccountToken: unset(
      "boolean",
      "Set on the ServiceAccount. false needs reloader.deployment.automountServiceAccountToken: true, or a token of yours.",
    ),
  }),
  serviceMonitor: open("Scraping through the Service, where the cluster knows ServiceMonitors.", {
    enabled: toggle(false, "Create it."),
    ...scrape,
    bearerTokenFile: unset("string", "File of the token of the scrape."),
    targetLabels: list("Labels of the Service that become labels of the metrics."),
  }),
  podMonitor: open("Scraping of the pods.", {
    enabled: toggle(false, "Create it."),
    ...scrape,
    bearerTokenSecret: unset(["object", "string"], "Secret key of the token of the scrape."),
    podTargetLabels: list("Labels of the pod that become labels of the metrics."),
  }),
  podDisruptionBudget: open("For several replicas, one budget for each Deployment.", {
    enabled: unset(
      "boolean",
      "Create it. When empty, it is created for several replicas or with KEDA; Stakater Reloader creates none then.",
    ),
    minAvailable: unset(
      ["integer", "string"],
      "Minimum available pods. As many as there are, or 1 of 1, keep every node with one of them from being drained; the notes say so.",
    ),
    maxUnavailable: unset(["integer", "string"], "Maximum unavailable pods; overrides minAvailable."),
  }),
  netpol: open("NetworkPolicy that opens only what it needs; see fleetReloader.networkPolicy.", {
    enabled: toggle(false, "Create it."),
    from: list("Peers that may read health and metrics; empty means everybody."),
    to: list("Peers of API servers; empty means everywhere."),
  }),
  verticalPodAutoscaler: open("Where the cluster knows VerticalPodAutoscalers.", {
    enabled: toggle(false, "Create it."),
    recommenders: unset("array", "None or one."),
    controlledResources: list("cpu and memory when empty."),
    controlledValues: unset("string", "RequestsOnly or RequestsAndLimits."),
    maxAllowed: map("Upper bounds."),
    minAllowed: map("Lower bounds."),
    updatePolicy: map("How its advice is followed.", { updateMode: "Auto" }),
  }),
};

export const peerValues: Fields = {
  global: open("Values shared by all charts of a release.", {
    imageRegistry: text("", "Registry in front of image.name; image.repository is then unused."),
    imagePullSecrets: list("Names, or objects with a name."),
  }),
  kubernetes: open("Values of Stakater Reloader only.", {
    host: text("https://kubernetes.default", "Accepted, without effect, as in Stakater Reloader."),
  }),
  nameOverride: text(
    "",
    "The part after the release in all names, and app.kubernetes.io/name; `reloader` when empty.",
  ),
  fullnameOverride: text("", "The name of all objects; <release>-<name> when empty."),
  namespace: text("", "Namespace of all objects; the release's when empty."),
  image: open("The image. There is no default registry; name the one that you publish it to.", {
    name: text("fleet-reloader", "Name below global.imageRegistry."),
    repository: text(
      "",
      "Registry and name, for example REGISTRY/fleet-reloader. Required unless global.imageRegistry is set.",
    ),
    tag: text("", "The chart's appVersion when empty."),
    digest: text("", "sha256:…; overrides the tag.", { pattern: digestPattern }),
    pullPolicy: text("IfNotPresent", "Always, IfNotPresent or Never."),
  }),
  reloader: open("Values that users of Stakater Reloader know.", reloader),
};
