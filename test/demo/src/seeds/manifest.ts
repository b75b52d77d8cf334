/** What the demo's manifests differ in; the rest is the same for all of them. */
export interface WorkloadParts {
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet";
  readonly namespace: string;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly replicas?: number;
  readonly image: string;
  readonly env?: readonly object[];
  readonly envFrom?: readonly object[];
  /** Mounted under the volume's name. */
  readonly volumes?: readonly Volume[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

export function workload(parts: WorkloadParts): object {
  const {
    kind,
    namespace,
    name,
    annotations = {},
    replicas = 1,
    image,
    env = [],
    envFrom = [],
    volumes = [],
  } = parts;
  const labels = { "app.kubernetes.io/name": name };
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/etc/${volume.name}` }));
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name, namespace, annotations, labels },
    spec: {
      ...(kind === "DaemonSet" ? {} : { replicas }),
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name, image, env, envFrom, volumeMounts }], volumes },
      },
    },
  };
}

type Values = Readonly<Record<string, string>>;

export function configMap(namespace: string, name: string, data: Values): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

interface SecretParts {
  readonly labels?: Values;
  readonly annotations?: Values;
  readonly type?: string;
}

export function secret(namespace: string, name: string, stringData: Values, parts: SecretParts = {}): object {
  const { type = "Opaque", ...meta } = parts;
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, ...meta }, type, stringData };
}
