import type { Paint } from "./paint.ts";

export interface Addresses {
  readonly kubeconfigPath: string;
  readonly healthUrl: string;
  readonly queuesUrl: string;
}

/** What a person can try on the running clusters, in another terminal. */
export function byHandLines(
  { kubeconfigPath, healthUrl, queuesUrl }: Addresses,
  paint: Paint,
): readonly string[] {
  const said = (text: string) => paint("quiet", `  # ${text}`);
  return [
    "",
    paint("title", "The clusters and the product run on until Ctrl-C. In another terminal:"),
    "",
    `  export KUBECONFIG=${kubeconfigPath}`,
    said("a new ReplicaSet follows a patch (a simulated cluster has no nodes, so there are no pods)"),
    "  kubectl --context nova get replicasets --watch",
    `  kubectl --context nova patch configmap test-config --type merge -p '{"data":{"key":"by hand"}}'`,
    said("opt in a Deployment that has not; then four workloads use cloud-config instead of three"),
    "  kubectl --context nova -n openstack-system annotate deployment quota-exporter reloader.stakater.com/auto=true",
    `  kubectl --context nova -n openstack-system patch secret cloud-config -p '{"stringData":{"cloud.conf":"by hand"}}'`,
    said("metadata alone rolls nothing"),
    "  kubectl --context otech62 -n payments label secret database-credentials seen=yes",
    said("what the product left on a workload"),
    "  kubectl --context otech62 -n catalyst get deployment catalyst-api -o yaml",
    "",
    `  queues   ${queuesUrl}`,
    `  ready    ${healthUrl}/ready`,
    `  metrics  ${healthUrl}/metrics`,
    "",
  ];
}
