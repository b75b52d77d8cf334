import { auditFlags, auditPolicy, auditWebhookKubeconfig } from "@fleet-reloader/audit/audit-policy";
import { kindFields, servedKinds } from "@fleet-reloader/runtime/config/fields/kind-fields";
import { scopeFields, scopeSettings } from "@fleet-reloader/runtime/config/fields/scope-fields";
import { hintedKinds } from "@fleet-reloader/wiring/hints/hinted-resources";
import { textFlag } from "../frame/cli-fields.ts";
import { defineCommand } from "../frame/command.ts";

export const auditPolicyCommand = defineCommand({
  name: "audit-policy",
  purpose: "Print what an API server needs to report writes to us: audit policy, webhook and flags",
  details: `Three YAML documents: the policy, the kubeconfig of the webhook, and the flags of kube-apiserver as a list. Give the flags of
the watcher that say which kinds are served. How to use them is in docs/audit.md.`,
  examples: ["fleet-reloader audit-policy --server https://audit.example.org:9443 > audit.yaml"],
  flags: {
    ...kindFields,
    ...scopeFields,
    server: textFlag("server", "URL", "Address of --audit-listen-address, as the API server reaches it."),
  },
  async run({ config }, { stdout }) {
    const { sourceKinds } = scopeSettings(config);
    const policy = auditPolicy(hintedKinds({ sourceKinds, workloadKinds: servedKinds(config) }));
    const server = config.server === "" ? "https://fleet-reloader.example.org:9443" : config.server;
    const flags = auditFlags.map((flag) => `- ${JSON.stringify(flag)}\n`).join("");
    stdout.write([policy, auditWebhookKubeconfig(server), flags].join("---\n"));
    return 0;
  },
});
