/** Objects as a cluster has them: a Deployment of some 4 KB with what teams usually write into it. */

export function configMap(name: string, bytes: number): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { "app.kubernetes.io/part-of": "bench" } },
    data: { value: "initial", rest: filler(name, Math.max(0, bytes)) },
  };
}

/** A release as Helm stores it: large, and no pod reads it. */
export function helmSecret(name: string, bytes: number): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "helm.sh/release.v1",
    metadata: { name, labels: { owner: "helm", status: "superseded" } },
    data: { release: Buffer.from(filler(name, Math.floor((bytes * 3) / 4))).toString("base64") },
  };
}

/** Text that differs between objects, so that nothing can share it. */
function filler(seed: string, bytes: number): string {
  const line = `${seed}: lorem ipsum dolor sit amet, consectetur adipiscing elit\n`;
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

export interface DeploymentWish {
  readonly name: string;
  /** Read by `envFrom`. */
  readonly configMaps: readonly string[];
  /** Opt-in annotations; none: it only uses them. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Three when absent. Without any its rollouts end at once, also where no kubelet starts pods. */
  readonly replicas?: number;
}

export function deployment({ name, configMaps, annotations, replicas = 3 }: DeploymentWish): object {
  const labels = { "app.kubernetes.io/name": name };
  const probe = (path: string) => ({ httpGet: { path, port: 8080 }, periodSeconds: 10, failureThreshold: 3 });
  const container = {
    name: "app",
    image: `registry.example.com/team/${name}:1.24.3`,
    ports: [{ name: "http", containerPort: 8080 }],
    envFrom: configMaps.map((configMapName) => ({ configMapRef: { name: configMapName } })),
    env: ["LOG_LEVEL", "REGION", "TIER", "OTEL_ENDPOINT", "CACHE_URL", "FEATURES"].map((variable) => ({
      name: variable,
      value: `${variable.toLowerCase()}-of-${name}`,
    })),
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: probe("/live"),
    readinessProbe: probe("/ready"),
    securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { ...labels, "app.kubernetes.io/part-of": "bench" }, annotations },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080" } },
        spec: { containers: [container], terminationGracePeriodSeconds: 30, serviceAccountName: "default" },
      },
    },
  };
}
