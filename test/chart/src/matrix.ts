import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Rendering } from "./helm.ts";

/** What people set, one rendering each: every feature once, the users' own values, and all at once. */
function fixture(name: string): object {
  const values: unknown = parse(readFileSync(join(import.meta.dirname, "../fixtures", name), "utf8"));
  if (typeof values !== "object" || values === null) throw new Error(`${name} holds no values`);
  return values;
}

const alerts = {
  open: { ALERT_ON_RELOAD: "true", ALERT_SINK: "slack" },
  secret: { ALERT_WEBHOOK_URL: "https://hooks.example/T000", ALERT_WEBHOOK_PROXY: "http://proxy:3128" },
  field: { NODE_NAME: "spec.nodeName" },
  existing: { "alert-settings": { ALERT_ADDITIONAL_INFO: "info" } },
};

const operations = {
  reloader: {
    serviceMonitor: { enabled: true, namespace: "monitoring", interval: "30s", targetLabels: ["app"] },
    podMonitor: { enabled: true, timeout: "10s", relabelings: [{ action: "drop", regex: "x" }] },
    podDisruptionBudget: { enabled: true, minAvailable: 1 },
    verticalPodAutoscaler: { enabled: true, minAllowed: { memory: "64Mi" } },
    netpol: {
      enabled: true,
      from: [{ podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } } }],
      to: [{ ipBlock: { cidr: "10.0.0.0/8" } }],
    },
    webhookUrl: "https://hooks.example/changed",
    service: { port: 8080, labels: { a: "b" }, ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4"] },
    serviceAccount: { annotations: { "example.com/role": "reloader" } },
    deployment: {
      replicas: 3,
      env: alerts,
      resources: { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "512Mi" } },
      tolerations: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { release: "reloader" } },
        },
      ],
      priorityClassName: "system-cluster-critical",
      hostUsers: false,
      dnsConfig: { options: [{ name: "ndots", value: "1" }] },
      volumes: [{ name: "more", emptyDir: {} }],
      volumeMounts: [{ name: "more", mountPath: "/more" }],
      annotations: { note: "{{ .Release.Name }}" },
      pod: { annotations: { "example.com/scrape": "true" } },
    },
  },
  global: { imageRegistry: "registry.example", imagePullSecrets: ["one", { name: "two" }] },
  fleetReloader: {
    prometheusRule: { enabled: true, namespace: "monitoring", labels: { release: "prometheus" } },
    redis: { existingSecret: "redis-url", port: 6390 },
    markKey: { existingSecret: "our-key" },
    dashboardAddress: "0.0.0.0:8080",
    maxHeapMiB: 200,
    networkPolicy: { redisTo: [{ podSelector: { matchLabels: { app: "redis" } } }] },
  },
};

export const matrix: Readonly<Record<string, Rendering>> = {
  "the defaults": {},
  "all the peer's defaults": { values: fixture("peer-defaults.yaml") },
  "the platform team's HelmRelease": { namespace: "kube-system", values: fixture("flux-values.yaml") },
  "the Cluster API addon": { namespace: "openstack-system", values: fixture("addon-values.yaml") },
  "some namespaces": {
    values: { reloader: { watchGlobally: false, namespaces: ["team-b", "team-a", "tools"] } },
  },
  "some namespaces as text": { values: { reloader: { watchGlobally: false, namespaces: "team-b, team-a" } } },
  "every source and kind": {
    values: { reloader: { isArgoRollouts: true, enableCSIIntegration: true, isOpenshift: true } },
  },
  "Secrets only, no Jobs": {
    values: { reloader: { ignoreConfigMaps: true, ignoreJobs: true, ignoreCronJobs: true } },
  },
  selectors: {
    values: {
      reloader: {
        namespaceSelector: "team in (a,b),reload",
        ignoreNamespaces: "kube-system,kube-public",
        resourceLabelSelector: "reload=yes",
      },
    },
  },
  "every flag": {
    values: {
      reloader: {
        ...{ autoReloadAll: true, reloadOnCreate: true, reloadOnDelete: true, syncAfterRestart: true },
        ...{ reloadStrategy: "env-vars", logFormat: "json", logLevel: "warning", enableHA: true },
        ...{ enablePProf: true, enableMetricsByNamespace: true, matchLabels: { team: "platform" } },
        custom_annotations: {
          configmap: "my.company/configmap",
          auto: "my.company/auto",
          pauseTime: "my.company/at",
        },
      },
      fleetReloader: { debounce: "5s", maxWait: "1m30s", args: ["--context=nova"] },
    },
  },
  "large numbers": {
    values: {
      reloader: { deployment: { env: { open: { FLEET_RELOADER_SHARDS: 1_000_000, RATIO: 0.5 } } } },
      fleetReloader: {
        ...{ historyMaxLength: 2_000_000, concurrency: 7 },
        args: ["--alert-burst", 1_500_000],
      },
    },
  },
  "a kept data dir": {
    values: {
      fleetReloader: { persistence: { enabled: true, storageClassName: "fast" }, markKey: { create: false } },
    },
  },
  operations: {
    values: operations,
    apiVersions: ["monitoring.coreos.com/v1", "autoscaling.k8s.io/v1"],
  },
  "a hub": {
    values: {
      fleetReloader: {
        mode: "hub",
        redis: { existingSecret: "redis-url", caSecret: "redis-ca" },
        hub: { worker: { resources: { limits: { memory: "256Mi" } }, args: ["--log-level=debug"] } },
        ...{ workloadKinds: ["serving.knative.dev/v1/Service=spec.template"], reloadSuspended: true },
        extraRules: [
          {
            ...{ apiGroups: ["serving.knative.dev"], resources: ["services"] },
            verbs: ["get", "list", "watch", "patch"],
          },
        ],
        ...{
          reloadFinished: true,
          reloadConcurrent: true,
          notices: { events: false, alertOnFailure: true, alertBurst: 5 },
        },
      },
    },
  },
  "a hub with KEDA and a Valkey": {
    values: {
      fleetReloader: {
        mode: "hub",
        hub: { keda: { enabled: true }, valkey: { enabled: true } },
        clusters: {
          kubeconfigSecrets: ["team-a"],
          secrets: ["cluster-api", "flux=flux-system"],
          argocdNamespace: "argocd",
        },
      },
      reloader: {
        podMonitor: { enabled: true },
        podDisruptionBudget: { enabled: true },
        netpol: { enabled: true, from: [{ podSelector: {} }] },
      },
    },
  },
  "a hub to which KEDA listens": {
    values: {
      fleetReloader: {
        mode: "hub",
        redis: { existingSecret: "redis-url" },
        hub: {
          keda: {
            ...{ enabled: true, trigger: "push", workPerReplica: 40 },
            push: { port: 9443, serverSecret: "watcher-tls", clientSecret: "keda-tls" },
          },
        },
      },
      reloader: { netpol: { enabled: true, from: [{ podSelector: {} }] } },
    },
  },
  "a hub with a dashboard": {
    values: {
      fleetReloader: {
        ...{
          mode: "hub",
          dashboardAddress: "0.0.0.0:8088",
          workloadKinds: ["example.com/v1/App=spec.template"],
        },
        hub: { dashboard: { enabled: true, args: ["--log-level=debug"] }, valkey: { enabled: true } },
        clusters: { secrets: ["cluster-api"], kubeconfigSecrets: ["team-a"], profiles: "inventory" },
        extraRules: [
          { apiGroups: ["example.com"], resources: ["apps"], verbs: ["get", "list", "watch", "patch"] },
        ],
      },
      reloader: {
        isArgoRollouts: true,
        enableCSIIntegration: true,
        namespaceSelector: "reload=yes",
        netpol: { enabled: true },
        serviceMonitor: { enabled: true },
      },
    },
    apiVersions: ["monitoring.coreos.com/v1"],
  },
  "a hub that receives audit events": {
    values: {
      fleetReloader: {
        mode: "hub",
        audit: {
          ...{
            enabled: true,
            serverSecret: "audit-tls",
            tokenSecret: "audit-tokens",
            clientCaSecret: "audit-ca",
          },
          service: { type: "LoadBalancer", annotations: { "example.com/internal": "true" } },
          from: [{ ipBlock: { cidr: "10.0.0.0/8" } }],
        },
        hub: { valkey: { enabled: true, usersPerRole: true } },
      },
      reloader: { netpol: { enabled: true } },
    },
  },
  "one pod that receives audit events": {
    values: {
      fleetReloader: {
        audit: {
          enabled: true,
          port: 8443,
          eventSource: "audit",
          serverSecret: "tls",
          tokenSecret: "tokens",
        },
      },
    },
  },
  "a hub for namespaces by their labels": {
    values: {
      fleetReloader: { mode: "hub", redis: { url: "redis://redis" } },
      reloader: { namespaceSelector: "reload=yes" },
    },
  },
  "a hub in some namespaces": {
    values: {
      fleetReloader: { mode: "hub", redis: { url: "redis://redis" }, hub: { watcher: { replicas: 1 } } },
      reloader: { watchGlobally: false, namespaces: ["team-a"] },
    },
  },
  "a hub on a Redis Cluster": {
    values: {
      fleetReloader: { mode: "hub", shards: 3, redis: { url: "redis-cluster://redis-0:6379,redis-1:6380" } },
      reloader: { netpol: { enabled: true } },
    },
  },
  "a hub that Prometheus scrapes": {
    values: {
      fleetReloader: { mode: "hub", redis: { url: "redis://redis" } },
      reloader: { serviceMonitor: { enabled: true } },
    },
    apiVersions: ["monitoring.coreos.com/v1"],
  },
  "without rights of its own": {
    values: { reloader: { rbac: { enabled: false }, serviceAccount: { create: false, name: "given" } } },
  },
};
