import { stringify } from "yaml";

/** A kubeconfig with one context, everything in it named after the cluster. */
export function renderKubeconfig(access: {
  readonly clusterName: string;
  readonly userName: string;
  readonly url: string;
  readonly certificatePem?: string | undefined;
  readonly token: string;
}): string {
  const { clusterName, userName, url, certificatePem, token } = access;
  const trust =
    certificatePem === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(certificatePem).toString("base64") };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: clusterName, cluster: { server: url, ...trust } }],
    users: [{ name: `${clusterName}-${userName}`, user: { token } }],
    contexts: [{ name: clusterName, context: { cluster: clusterName, user: `${clusterName}-${userName}` } }],
    "current-context": clusterName,
  });
}
