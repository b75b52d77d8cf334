import type { SimCluster } from "@fleet-reloader/testkit/sim-api/cluster";

/** What a Deployment of the namespace `shop` reads. */
export function settings(v: string): object {
  return {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "shop" } },
    data: { v },
  };
}

/** A Deployment that has to roll when that changes. */
export const readsSettings = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "app", namespace: "shop", annotations: { "reloader.stakater.com/auto": "true" } },
  spec: {
    selector: { matchLabels: { app: "app" } },
    template: {
      metadata: { labels: { app: "app" } },
      spec: {
        containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name: "settings" } }] }],
      },
    },
  },
};

/** A Secret of the hub by which the cluster is registered. */
export function registering(spoke: SimCluster): object {
  const labels = { "fleet-reloader.io/cluster": "true" };
  const value = Buffer.from(spoke.kubeconfig()).toString("base64");
  return { metadata: { name: "spoke", labels }, data: { value } };
}

/** Whether the Deployment in the cluster has its applied state. */
export function isAdopted(spoke: SimCluster): boolean {
  return JSON.stringify(spoke.get("Deployment", "shop", "app")).includes("/carried-");
}
