import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** How an API server reaches a receiver of audit events. */
export interface AuditReceiverAccess {
  /** The files lie in it; it has to outlive the API server. */
  readonly directory: string;
  readonly caPem: string;
  readonly token: string;
}

/**
 * Follows what `audit-policy` prints, as its reader does: three documents of YAML, a policy, a webhook kubeconfig and flags, whose paths
 * become those of files in the directory. Returns the flags for kube-apiserver. The authority lies there as `ca.crt`.
 */
export function writeAuditWebhook(printed: string, access: AuditReceiverAccess): readonly string[] {
  const [policy = "", webhook = "", flags = ""] = printed.split("---\n");
  const pathOf = (name: string) => join(access.directory, name);
  const placed = (text: string) => text.replaceAll("/etc/kubernetes/audit/", pathOf("/"));
  const files = {
    "policy.yaml": policy,
    "webhook.yaml": placed(webhook),
    "ca.crt": access.caPem,
    token: access.token,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(pathOf(name), content, { mode: 0o600 });
  return [...flags.matchAll(/^- "(.*)"$/gm)].map(([, flag = ""]) => placed(flag));
}
