import { closed, count, digestPattern, type Fields, list, map, text, toggle } from "./value.ts";

/** Watchers, workers and the dashboard as separate Deployments on one Redis. */
export const hubValues: Fields = {
  watcher: closed("The watchers. They are always on and share the clusters.", {
    replicas: count(2, "Number of watchers."),
    resources: map("Requests and limits; those of reloader.deployment when empty."),
    args: list("More flags of theirs."),
  }),
  worker: closed("The workers.", {
    replicas: count(2, "Number of workers without KEDA."),
    resources: map("Requests and limits; those of reloader.deployment when empty."),
    args: list("More flags of theirs."),
  }),
  dashboard: closed(
    "The operator's page, its API and the queue board. Without fleetReloader.access it is read-only, and for kubectl port-forward.",
    {
      enabled: toggle(
        false,
        "Create it: one pod that reads Redis, and with `get` and `list` a cluster that somebody asks about.",
      ),
      resources: map("Requests and limits; those of reloader.deployment when empty."),
      args: list("More flags of its own."),
    },
  ),
  keda: closed("Scale the workers by queue depth: a ScaledObject of KEDA 2.20 or newer asks the watchers.", {
    enabled: toggle(false, "Create the ScaledObject; worker.replicas is then unused."),
    trigger: text(
      "poll",
      "How KEDA learns of work: poll asks every pollingInterval, push is also told as soon as work begins (KEDA 2.21 or newer).",
      { enum: ["poll", "push", null] },
    ),
    push: closed("The gRPC server of the watchers, with trigger push.", {
      port: count(9095, "Its port. Flag --scaler-listen-address."),
      serverSecret: text(
        "",
        "Secret with the certificate of the watchers: tls.crt, tls.key, and in ca.crt the authority of KEDA's certificate. It must be valid for the name of their Service. Without TLS when empty; then only a NetworkPolicy decides who can read the queue depth.",
      ),
      clientSecret: text(
        "",
        "Secret with the certificate of KEDA: tls.crt, tls.key, and in ca.crt the authority of the watchers' certificate. A TriggerAuthentication names it. Needed with serverSecret.",
      ),
    }),
    pollingInterval: count(5, "Seconds between two requests while there is no worker."),
    cooldownPeriod: count(
      120,
      "Seconds without work before KEDA stops the last worker, and before the HPA stops a worker, which waits an hour at most.",
    ),
    minReplicaCount: count(0, "Minimum workers, when there is no work."),
    maxReplicaCount: count(20, "Maximum workers."),
    workPerReplica: count(25, "Requests per worker: about four fifths of what it handles at once."),
    fallback: closed("What KEDA does when the watchers do not answer.", {
      failureThreshold: count(1, "Failed requests in a row that change nothing; the next one applies it."),
      replicas: count(2, "Number of workers then, or the current number if that is higher."),
    }),
    namespace: text(
      "keda",
      "Namespace of KEDA. The NetworkPolicy admits it when reloader.netpol.from is set.",
    ),
  }),
  valkey: closed("A small Valkey in this release, for clusters without a Redis: one pod, with a password.", {
    enabled: toggle(false, "Create it."),
    image: text(
      "valkey/valkey:8.1",
      "Its image. An image of Redis does not work, since it has no valkey-server.",
    ),
    digest: text("", "sha256:… of the image; overrides its tag.", { pattern: digestPattern }),
    existingSecret: text(
      "",
      "Secret with the password, letters and digits only. When empty, the watchers and workers create one once, with a random password.",
    ),
    existingSecretKey: text("password", "Key of the password in that Secret."),
    usersPerRole: toggle(
      false,
      "Instead of the default user, one user for each role: watcher, worker, dashboard (asks only) and operator (for people). Each may run the commands of its role, on its keys. They have one password.",
    ),
    persistence: closed("Its append-only file, written every second. Lost state is compared again.", {
      enabled: toggle(true, "Keep it in a PersistentVolumeClaim; an emptyDir otherwise."),
      size: text("1Gi", "Size of the claim."),
      storageClassName: text("", "Its class; the cluster's default when empty."),
    }),
    securityContext: map(
      "securityContext of its pod; 999 is the user of the image. With runAsUser: null, as OpenShift needs it, runAsGroup and fsGroup are left out too, unless you set others.",
      {
        runAsNonRoot: true,
        runAsUser: 999,
        runAsGroup: 999,
        fsGroup: 999,
        seccompProfile: { type: "RuntimeDefault" },
      },
    ),
    resources: map("Requests and limits. It uses at most three quarters of the memory limit.", {
      requests: { cpu: "50m", memory: "128Mi" },
      limits: { memory: "512Mi" },
    }),
  }),
};
