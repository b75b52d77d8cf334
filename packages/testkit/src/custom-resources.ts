import type { CustomResource } from "./sim-api/cluster.ts";

/** Kinds of workloads that an API server has only when somebody installs them; here only as data, nothing acts on them. */
export const customResources: readonly CustomResource[] = [
  { group: "argoproj.io", version: "v1alpha1", kind: "Rollout", plural: "rollouts" },
  { group: "apps.openshift.io", version: "v1", kind: "DeploymentConfig", plural: "deploymentconfigs" },
  { group: "serving.knative.dev", version: "v1", kind: "Service", plural: "services" },
];

/** The CustomResourceDefinition that makes a real API server serve it, with any fields, and a status of its own unless it has none. */
export function customResourceDefinition({ group, version, kind, plural, hasStatus = true }: CustomResource) {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(hasStatus ? { subresources: { status: {} } } : {}),
          schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
        },
      ],
    },
  };
}
