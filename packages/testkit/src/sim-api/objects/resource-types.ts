/** One kind of object that the server serves. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  /** Has a `status` that main writes cannot touch, and a `/status` path that touches nothing else. */
  readonly hasStatus: boolean;
  /** Has a `/scale` path. */
  readonly hasScale: boolean;
  /**
   * What makes `metadata.generation` grow, as on the real server: Deployments count their own annotations in, and a custom resource without a
   * status subresource all that is not metadata.
   */
  readonly generation: "none" | "spec" | "spec-and-annotations" | "all-but-metadata";
  /** Where a pod template sits, if anywhere. */
  readonly templatePath: readonly string[] | undefined;
  /** Field selectors beyond `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** A custom resource knows no strategic merge patch and its list items carry apiVersion and kind. */
  readonly isCustom: boolean;
}

/** What a message needs to name a resource. */
export type ResourceName = Pick<ResourceType, "group" | "plural">;

type Sparse = Pick<ResourceType, "kind" | "plural"> & Partial<ResourceType>;

function type(group: string, version: string, sparse: Sparse): ResourceType {
  return {
    group,
    version,
    singular: sparse.kind.toLowerCase(),
    isNamespaced: true,
    shortNames: [],
    hasStatus: false,
    hasScale: false,
    generation: "none",
    templatePath: undefined,
    selectableFields: [],
    isCustom: false,
    ...sparse,
  };
}

const podTemplate = ["spec", "template"];
const workload = { hasStatus: true, generation: "spec", templatePath: podTemplate } as const;

export const builtInTypes: readonly ResourceType[] = [
  type("", "v1", {
    kind: "Namespace",
    plural: "namespaces",
    isNamespaced: false,
    shortNames: ["ns"],
    hasStatus: true,
    selectableFields: ["status.phase"],
  }),
  type("", "v1", { kind: "ConfigMap", plural: "configmaps", shortNames: ["cm"] }),
  type("", "v1", { kind: "Secret", plural: "secrets", selectableFields: ["type"] }),
  type("", "v1", {
    kind: "Pod",
    plural: "pods",
    shortNames: ["po"],
    hasStatus: true,
    generation: "spec",
    selectableFields: ["spec.nodeName", "spec.restartPolicy", "status.phase", "status.podIP"],
  }),
  type("", "v1", {
    kind: "Event",
    plural: "events",
    shortNames: ["ev"],
    selectableFields: [
      "involvedObject.kind",
      "involvedObject.namespace",
      "involvedObject.name",
      "involvedObject.uid",
      "involvedObject.apiVersion",
      "involvedObject.resourceVersion",
      "involvedObject.fieldPath",
      "reason",
      "reportingComponent",
      "source",
      "type",
    ],
  }),
  type("", "v1", { kind: "ServiceAccount", plural: "serviceaccounts", shortNames: ["sa"] }),
  type("apps", "v1", {
    kind: "Deployment",
    plural: "deployments",
    shortNames: ["deploy"],
    ...workload,
    generation: "spec-and-annotations",
    hasScale: true,
  }),
  type("apps", "v1", {
    kind: "ReplicaSet",
    plural: "replicasets",
    shortNames: ["rs"],
    ...workload,
    hasScale: true,
    selectableFields: ["status.replicas"],
  }),
  type("apps", "v1", {
    kind: "StatefulSet",
    plural: "statefulsets",
    shortNames: ["sts"],
    ...workload,
    hasScale: true,
  }),
  type("apps", "v1", { kind: "DaemonSet", plural: "daemonsets", shortNames: ["ds"], ...workload }),
  type("apps", "v1", { kind: "ControllerRevision", plural: "controllerrevisions" }),
  type("batch", "v1", {
    kind: "Job",
    plural: "jobs",
    ...workload,
    selectableFields: ["status.successful"],
  }),
  type("batch", "v1", {
    kind: "CronJob",
    plural: "cronjobs",
    shortNames: ["cj"],
    ...workload,
    templatePath: ["spec", "jobTemplate", "spec", "template"],
  }),
  type("coordination.k8s.io", "v1", { kind: "Lease", plural: "leases" }),
];

/** A type such as Argo's Rollout, as a CustomResourceDefinition would give, with a status subresource unless it has none. */
export function customType(custom: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly hasStatus?: boolean;
}): ResourceType {
  return type(custom.group, custom.version, {
    kind: custom.kind,
    plural: custom.plural,
    hasStatus: custom.hasStatus ?? true,
    generation: custom.hasStatus === false ? "all-but-metadata" : "spec",
    templatePath: podTemplate,
    isCustom: true,
  });
}

export function apiVersionOf(type: ResourceType): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

/** `deployments.apps`, as messages of the server name a resource. */
export function qualifiedName(type: ResourceName): string {
  return type.group === "" ? type.plural : `${type.plural}.${type.group}`;
}

/** `Deployment.apps`, as validation messages name a kind. */
export function qualifiedKind(type: ResourceType): string {
  return type.group === "" ? type.kind : `${type.kind}.${type.group}`;
}
