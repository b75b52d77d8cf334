import { secret, workload } from "./manifest.ts";

/** seeds/004: what capi-helm-charts installs on a workload cluster; all of it logs in with the Secret `cloud-config`. */
const namespace = "openstack-system";
const annotations = { "secret.reloader.stakater.com/reload": "cloud-config" };
const volumes = [{ name: "cloud-config", secret: { secretName: "cloud-config" } }];
const registry = "registry.k8s.io/provider-os";

export const cinderWorkloads = [
  { kind: "DaemonSet", namespace, name: "openstack-cinder-csi-nodeplugin" },
  { kind: "Deployment", namespace, name: "openstack-cinder-csi-controllerplugin" },
  { kind: "DaemonSet", namespace, name: "openstack-cloud-controller-manager" },
] as const;

export const cinderSeed: readonly object[] = [
  cloudConfig("app-credential-1"),
  ...cinderWorkloads.map((each) => workload({ ...each, annotations, volumes, image: imageOf(each.name) })),
  // Reads the same Secret but has not asked for anything: must never roll.
  workload({
    kind: "Deployment",
    namespace,
    name: "quota-exporter",
    volumes,
    image: "openstack-exporter:1.7.0",
  }),
];

export function cloudConfig(credentialId: string): object {
  return secret(namespace, "cloud-config", {
    "cloud.conf": `[Global]\napplication-credential-id = ${credentialId}\n`,
  });
}

function imageOf(name: string): string {
  return name.includes("cinder")
    ? `${registry}/cinder-csi-plugin:v1.31.0`
    : `${registry}/openstack-cloud-controller-manager:v1.31.0`;
}
