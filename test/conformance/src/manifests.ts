/** Small objects for checks; each returns a fresh one. */

export function configMap(name: string, data: Readonly<Record<string, string>> = { colour: "red" }) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

export function secret(name: string, type = "Opaque") {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, type, data: { key: "dmFsdWU=" } };
}

export function podTemplate(app: string, restartPolicy?: string) {
  return {
    metadata: { labels: { app } },
    spec: {
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
      containers: [
        { name: "main", image: "registry.example/main:1", env: [{ name: "ONE", value: "1" }] },
        { name: "side", image: "registry.example/side:1" },
      ],
      volumes: [{ name: "config", configMap: { name: "settings" } }],
    },
  };
}

export function deployment(name: string) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, annotations: { "example.com/team": "blue" } },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  };
}

export function statefulSet(name: string) {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name },
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: podTemplate(name),
    },
  };
}

export function daemonSet(name: string) {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name) },
  };
}

export function job(name: string) {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { suspend: true, template: podTemplate(name, "Never") },
  };
}

export function cronJob(name: string) {
  const jobTemplate = { spec: { template: podTemplate(name, "Never") } };
  // Never due while a check runs.
  const spec = { schedule: "0 0 30 2 *", jobTemplate };
  return { apiVersion: "batch/v1", kind: "CronJob", metadata: { name }, spec };
}

export const paths = {
  configMaps: (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`,
  configMap: (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/configmaps/${name}`,
  secrets: (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`,
  secret: (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`,
  apps: (namespace: string, plural: string) => `/apis/apps/v1/namespaces/${namespace}/${plural}`,
  app: (namespace: string, plural: string, name: string) =>
    `/apis/apps/v1/namespaces/${namespace}/${plural}/${name}`,
  deployments: (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  deployment: (namespace: string, name: string) =>
    `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
} as const;

export const restartPatch = (value: string) => ({
  spec: { template: { metadata: { annotations: { "example.com/mark": value } } } },
});
