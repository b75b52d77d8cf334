import { configMap, secret, workload } from "./manifest.ts";

/** What else lives on a cluster. Nothing that happens in the story concerns any of it: none of it may ever roll. */
const auto = { "reloader.stakater.com/auto": "true" };

/** Written all the time by its owner, used by no workload. */
export const busyConfigMap = { namespace: "kube-system", name: "cluster-autoscaler-status" } as const;

export const bystanderSeed: readonly object[] = [
  configMap(busyConfigMap.namespace, busyConfigMap.name, { status: "0" }),
  configMap("kube-system", "coredns", { Corefile: ".:53 { reload }" }),
  workload({
    kind: "Deployment",
    namespace: "kube-system",
    name: "coredns",
    replicas: 2,
    volumes: [{ name: "config", configMap: { name: "coredns" } }],
    image: "registry.k8s.io/coredns/coredns:v1.12.0",
  }),
  // Opted in, and nothing of its own changes.
  configMap("catalyst", "catalyst-ui", { THEME: "dark" }),
  workload({
    kind: "Deployment",
    namespace: "catalyst",
    name: "catalyst-ui",
    annotations: auto,
    envFrom: [{ configMapRef: { name: "catalyst-ui" } }],
    image: "ghcr.io/openova-io/openova/catalyst-ui:9a58289",
  }),
  // Of the same name as the Secret that rotates, in another namespace.
  secret("reporting", "database-credentials", { username: "reporting", password: "its own" }),
  workload({
    kind: "StatefulSet",
    namespace: "reporting",
    name: "warehouse",
    annotations: auto,
    envFrom: [{ secretRef: { name: "database-credentials" } }],
    image: "warehouse:2.0.1",
  }),
];
