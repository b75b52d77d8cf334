import type { RegistrationPolicy } from "../access.ts";
import type { ClusterProvider } from "../registration.ts";
import { accessOfArgoSecret, argoName } from "./argocd-config.ts";
import type { Hub } from "./hub.ts";
import { createHubProvider } from "./hub-provider.ts";
import { type RegisteredSecret, registeredSecret, secretStream } from "./hub-secrets.ts";
import { KeptObjects } from "./kept-objects.ts";

export interface ArgocdSecretsOptions extends RegistrationPolicy {
  readonly hub: Hub;
  readonly namespace: string;
}

const clusterSecretSelector = "argocd.argoproj.io/secret-type=cluster";

/** Clusters that are registered with the Argo CD of the hub. */
export function createArgocdSecrets(options: ArgocdSecretsOptions): ClusterProvider {
  const { hub, namespace } = options;
  const secrets = new KeptObjects<RegisteredSecret>();
  const selection = { namespace, labelSelector: clusterSecretSelector, isWanted: () => true };
  const stream = secretStream(
    hub,
    selection,
    (secret) => {
      const clusterName = argoName(secret);
      return registeredSecret(secret, clusterName, accessOfArgoSecret(secret, clusterName, options));
    },
    secrets,
  );
  return createHubProvider(
    hub.target.name,
    [{ named: "cluster Secrets of Argo CD", stream, kept: secrets }],
    () =>
      secrets.all.map(({ key, clusterName, labels, access }) => ({
        id: `argocd#${key}`,
        name: clusterName,
        labels,
        access,
      })),
  );
}
