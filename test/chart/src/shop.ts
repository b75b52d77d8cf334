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
