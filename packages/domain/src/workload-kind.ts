/** What has to be known about a kind of workload to read its pod template and to change it. The plug for more kinds. */
export interface WorkloadKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The resource in URLs and RBAC rules. */
  readonly plural: string;
  /** Strategic merge knows containers and variables by name; custom resources have only merge patches. */
  readonly patch: "strategic" | "merge";
  /** Where in the object the pod template is. */
  readonly templatePath: readonly string[];
}

/** The kinds that are watched and rolled, in the peer's order of action (compat section 3.6). */
export const workloadKinds: readonly WorkloadKind[] = [
  appsKind("Deployment", "deployments"),
  appsKind("DaemonSet", "daemonsets"),
  appsKind("StatefulSet", "statefulsets"),
];

function appsKind(kind: string, plural: string): WorkloadKind {
  return {
    kind,
    group: "apps",
    version: "v1",
    plural,
    patch: "strategic",
    templatePath: ["spec", "template"],
  };
}
