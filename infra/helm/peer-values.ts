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
  honorLabels: toggle(true, "Keep labels of the metrics when they collide with the target's."),
  metricRelabelings: list("Relabelings of samples."),
  relabelings: list("Relabelings of the target."),
};

const environment: Fields = {
  open: map("Variables with plain values: name → value. Empty values are left out."),
  secret: map(
    "Variables whose values are put into a Secret of this release: name → value, for example ALERT_WEBHOOK_URL.",
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
    "securityContext of the pod. fsGroup is ours: a volume of its own has to be writable.",
    {
      runAsNonRoot: true,
      runAsUser: 65_534,
      runAsGroup: 65_534,
      fsGroup: 65_534,
      seccompProfile: { type: "RuntimeDefault" },
    },
  ),
  containerSecurityContext: map("securityContext of the container; the peer's is empty.", {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  }),
  annotations: map("Annotations of the Deployment."),
  labels: map("More labels of Deployment and pods. The peer's provider, group and version are not set."),
  pod: open("The pod template.", { annotations: map("Annotations of the pods.") }),
  env: open("More environment variables, alerts among them.", environment),
  livenessProbe: mapOf(probeKeys, `Of /live: ${probe} 10.`),
  readinessProbe: mapOf(probeKeys, `Of /ready (the peer asked /metrics): ${probe} 2.`),
  resources: map(
    "Requests and limits of the container. When empty: 10m CPU and 128Mi are requested, 512Mi is the memory limit; the peer sets none.",
  ),
  priorityClassName: text("", "Priority of the pods."),
  runtimeClassName: text("", "RuntimeClass of the pods."),
  schedulerName: text("", "Scheduler of the pods."),
  imagePullSecrets: unset("array", "Pull secrets of the pods, beside those of global.imagePullSecrets."),
  automountServiceAccountToken: unset("boolean", "Whether the token is mounted; the pods need it."),
  gomaxprocsOverride: leaf("", ["string", "integer"], "Taken and without effect: for the Go runtime."),
  gomemlimitOverride: leaf(
    "",
    ["string", "integer"],
    "Taken and without effect; see fleetReloader.maxHeapMiB.",
  ),
};

const reloader: Fields = {
  autoReloadAll: toggle(false, "Serve every workload that does not opt out, without annotations."),
  isArgoRollouts: toggle(false, "Serve Argo Rollouts."),
  isOpenshift: toggle(
    false,
    "The rights to DeploymentConfigs, also where templates are rendered without the cluster.",
  ),
  ignoreSecrets: toggle(false, "Do not look at Secrets, and have no right to."),
  ignoreConfigMaps: toggle(false, "Do not look at ConfigMaps, and have no right to."),
  ignoreJobs: toggle(false, "Leave Jobs alone."),
  ignoreCronJobs: toggle(false, "Leave CronJobs alone."),
  reloadOnCreate: toggle(false, "A ConfigMap or Secret that appears counts as a change."),
  reloadOnDelete: toggle(false, "One that is deleted counts as a change."),
  syncAfterRestart: toggle(false, "The peer's catching up after a restart; here that is always so."),
  reloadStrategy: text("default", "default (annotations), annotations or env-vars.", {
    enum: ["default", "env-vars", "annotations", null],
  }),
  ignoreNamespaces: text("", "Namespaces to leave alone, comma-separated; only with watchGlobally."),
  namespaceSelector: text(
    "",
    "Label selectors of the namespaces to serve, comma-separated; only with watchGlobally.",
  ),
  resourceLabelSelector: text(
    "",
    "Label selectors of the ConfigMaps and Secrets to look at, comma-separated.",
  ),
  logFormat: text("", "Empty for text, or json."),
  logLevel: text("info", "trace, debug, info, warning, error, fatal or panic."),
  watchGlobally: toggle(
    true,
    "Serve all namespaces with a ClusterRole; false: the release's, or those of namespaces, with Roles.",
  ),
  namespaces: leaf(
    [],
    ["array", "string"],
    "With watchGlobally false: the namespaces to serve, as list or comma-separated; the release's is added.",
    {
      items: { type: "string" },
    },
  ),
  enableHA: toggle(false, "Taken: instances on one Redis share the work, there is no leader and no Lease."),
  enablePProf: toggle(false, "Passed on as --enable-pprof."),
  pprofAddr: text(":6060", "Passed on as --pprof-addr."),
  enableCSIIntegration: toggle(false, "Watch what the Secrets Store CSI driver mounts."),
  readOnlyRootFileSystem: toggle(
    true,
    "The container cannot write but to its data dir and /tmp; the peer's default is false.",
  ),
  legacy: open("Of old clusters.", { rbac: toggle(false, "Taken and without effect.") }),
  matchLabels: map("More labels of all objects, and of the selector."),
  enableMetricsByNamespace: toggle(false, "Count reloads by namespace, too."),
  webhookUrl: text("", "Call this URL instead of reloading anything. Works without custom_annotations."),
  custom_annotations: mapOf(customAnnotations, `Other annotation keys: ${customAnnotations.join(", ")}.`),
  deployment: open("The Deployment.", deployment),
  service: mapOf(
    ["port", "labels", "annotations", "ipFamilyPolicy", "ipFamilies"],
    "Rendered when not empty, or with serviceMonitor: port (9090), labels, annotations, ipFamilyPolicy, ipFamilies.",
  ),
  rbac: open("Roles and bindings.", {
    enabled: toggle(true, "Make them."),
    labels: map("More labels of them."),
  }),
  serviceAccount: open("The ServiceAccount.", {
    create: toggle(true, "Make it."),
    labels: map("Labels of it."),
    annotations: map("Annotations of it."),
    name: unset("string", "Its name; the release's full name when empty."),
    automountServiceAccountToken: unset("boolean", "Set on the ServiceAccount."),
  }),
  serviceMonitor: open("Scraping through the Service, where the cluster knows ServiceMonitors.", {
    enabled: toggle(false, "Make it."),
    ...scrape,
    bearerTokenFile: unset("string", "File of the token of the scrape."),
    targetLabels: list("Labels of the Service that become labels of the metrics."),
  }),
  podMonitor: open("Scraping of the pods.", {
    enabled: toggle(false, "Make it."),
    ...scrape,
    bearerTokenSecret: unset(["object", "string"], "Secret key of the token of the scrape."),
    podTargetLabels: list("Labels of the pod that become labels of the metrics."),
  }),
  podDisruptionBudget: open("For several replicas, one budget for each Deployment.", {
    enabled: unset(
      "boolean",
      "Make it. When empty: where there are several replicas, or KEDA decides how many; the peer makes none then.",
    ),
    minAvailable: unset(["integer", "string"], "At least so many."),
    maxUnavailable: unset(["integer", "string"], "At most so many missing; wins over minAvailable."),
  }),
  netpol: open("NetworkPolicy with exactly the ways it needs; fleetReloader.networkPolicy has the details.", {
    enabled: toggle(false, "Make it."),
    from: list("Who may ask for health and metrics; empty: everybody."),
    to: list("Where API servers are; empty: everywhere."),
  }),
  verticalPodAutoscaler: open("Where the cluster knows VerticalPodAutoscalers.", {
    enabled: toggle(false, "Make it."),
    recommenders: unset("array", "None or one."),
    controlledResources: list("cpu and memory when empty."),
    controlledValues: unset("string", "RequestsOnly or RequestsAndLimits."),
    maxAllowed: map("Upper bounds."),
    minAllowed: map("Lower bounds."),
    updatePolicy: map("How its advice is followed.", { updateMode: "Auto" }),
  }),
};

export const peerValues: Fields = {
  global: open("Of all charts of a release.", {
    imageRegistry: text("", "Put before image.name; image.repository is not used then."),
    imagePullSecrets: list("Names, or objects with a name."),
  }),
  kubernetes: open("Of the peer.", {
    host: text("https://kubernetes.default", "Taken and without effect, as in the peer."),
  }),
  nameOverride: text(
    "",
    "The part after the release in all names, and app.kubernetes.io/name; `reloader` when empty.",
  ),
  fullnameOverride: text("", "The name of all objects; <release>-<name> when empty."),
  namespace: text("", "Namespace of all objects; the release's when empty."),
  image: open("The image. Where you publish it is yours to say: there is no registry in here.", {
    name: text("fleet-reloader", "Name below global.imageRegistry."),
    repository: text("fleet-reloader", "Registry and name, for example REGISTRY/fleet-reloader."),
    tag: text("", "The chart's appVersion when empty."),
    digest: text("", "sha256:…; wins over the tag.", { pattern: digestPattern }),
    pullPolicy: text("IfNotPresent", "Always, IfNotPresent or Never."),
  }),
  reloader: open("What the peer's users set.", reloader),
};
