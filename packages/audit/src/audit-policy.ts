import { mutatingVerbs } from "./audit-event.ts";

/** A kind that the policy reports; an undefined plural means every resource of its group. */
export interface PolicyKind {
  readonly group: string;
  readonly plural: string | undefined;
}

/**
 * An audit policy that reports the writes of these kinds at the level Metadata, and nothing else. Subresources are excluded: a status
 * changes nothing for us. At a higher level an API server would send the content of Secrets.
 */
export function auditPolicy(kinds: readonly PolicyKind[]): string {
  const byGroup = Map.groupBy(kinds, ({ group }) => group);
  const resources = [...byGroup].flatMap(([group, its]) => [
    `      - group: ${JSON.stringify(group)}`,
    ...(its.some(({ plural }) => plural === undefined) ? [] : [`        resources: [${pluralsOf(its)}]`]),
  ]);
  return [
    "apiVersion: audit.k8s.io/v1",
    "kind: Policy",
    "omitStages: [RequestReceived, ResponseStarted]",
    "rules:",
    "  # Deeper levels would send the content of Secrets.",
    "  - level: Metadata",
    `    verbs: [${mutatingVerbs.join(", ")}]`,
    "    resources:",
    ...resources,
    "  - level: None",
    "",
  ].join("\n");
}

function pluralsOf(kinds: readonly PolicyKind[]): string {
  return [...new Set(kinds.map(({ plural = "" }) => plural))].toSorted().join(", ");
}

/** The kubeconfig of an audit webhook. Its paths are on the machine of the API server. */
export function auditWebhookKubeconfig(server: string): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: fleet-reloader
    cluster:
      server: ${JSON.stringify(server)}
      certificate-authority: /etc/kubernetes/audit/ca.crt
users:
  - name: api-server
    user:
      # Or client-certificate and client-key, with the name of the cluster as common name.
      tokenFile: /etc/kubernetes/audit/token
contexts:
  - name: audit
    context: { cluster: fleet-reloader, user: api-server }
current-context: audit
`;
}

/** The flags of kube-apiserver. A batch waits a second: the default is half a minute, and an API server that is killed loses its waiting events. */
export const auditFlags: readonly string[] = [
  "--audit-policy-file=/etc/kubernetes/audit/policy.yaml",
  "--audit-webhook-config-file=/etc/kubernetes/audit/webhook.yaml",
  "--audit-webhook-batch-max-wait=1s",
  "--audit-webhook-initial-backoff=10s",
];
