import {
  kubeconfigKey,
  registeredName,
  type SecretPreset,
} from "@fleet-reloader/domain/registration/secret-preset";
import type { RegistrationPolicy } from "../access.ts";
import { readKubeconfig } from "../kubeconfig-contexts.ts";
import type { Access, ClusterProvider, Registration } from "../registration.ts";
import { type CapiCluster, capiClusterStream, provisioningOf } from "./capi-cluster.ts";
import type { Hub } from "./hub.ts";
import { createHubProvider } from "./hub-provider.ts";
import {
  type HubSecret,
  type RegisteredSecret,
  registeredSecret,
  type SecretMeta,
  secretStream,
} from "./hub-secrets.ts";
import { KeptObjects } from "./kept-objects.ts";

export interface KubeconfigSecretsOptions extends RegistrationPolicy {
  readonly hub: Hub;
  readonly preset: SecretPreset;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** By the name of the cluster: the content of other Secrets is not read. Absent: all are wanted. */
  readonly isWanted?: (name: string) => boolean;
}

/** Clusters whose kubeconfigs are in Secrets of the hub, in the format of one of the tools in the preset table. */
export function createKubeconfigSecrets(options: KubeconfigSecretsOptions): ClusterProvider {
  const { hub, preset, namespace, isWanted: wants = () => true } = options;
  const secrets = new KeptObjects<RegisteredSecret>();
  const clusters = new KeptObjects<CapiCluster>();
  const { labelSelector } = preset;
  const isWanted = (secret: SecretMeta): boolean => {
    const short = clusterNameOf(preset, secret);
    return short !== undefined && wants(shownName(secret.namespace, short, namespace));
  };
  const ofSecrets = {
    named: `Secrets of ${preset.name}`,
    stream: secretStream(
      hub,
      { namespace, labelSelector, isWanted },
      (secret) => register(secret, options),
      secrets,
    ),
    kept: secrets,
  };
  const ofClusters = {
    named: "Clusters of cluster-api",
    stream: capiClusterStream(hub, namespace, clusters),
    kept: clusters,
    isOptional: true,
  };
  const collections = preset.name === "cluster-api" ? [ofSecrets, ofClusters] : [ofSecrets];
  return createHubProvider(hub.target.name, collections, () =>
    secrets.all.map((secret): Registration => {
      const cluster = clusters.get(`${secret.namespace}/${secret.clusterName}`);
      return {
        id: `${preset.name}#${secret.key}`,
        name: shownName(secret.namespace, secret.clusterName, namespace),
        labels: { ...secret.labels, ...cluster?.labels },
        access: (cluster && provisioningOf(cluster)) ?? secret.access,
      };
    }),
  );
}

function clusterNameOf(preset: SecretPreset, { name, labels }: SecretMeta): string | undefined {
  return registeredName(preset, name, (key) => labels[key]);
}

/** Over several namespaces the short name need not be unique. */
function shownName(namespace: string, short: string, only: string | undefined): string {
  return only === undefined ? `${namespace}/${short}` : short;
}

function register(secret: HubSecret, options: KubeconfigSecretsOptions): RegisteredSecret {
  const { allowExec, allowLoopbackHttp, namespace, preset } = options;
  const short = clusterNameOf(preset, secret) ?? secret.name;
  const name = shownName(secret.namespace, short, namespace);
  const access = accessOfSecret(secret, name, { preset, allowExec, allowLoopbackHttp });
  return registeredSecret(secret, short, access);
}

function accessOfSecret(
  secret: HubSecret,
  name: string,
  { preset, allowExec, allowLoopbackHttp }: Omit<KubeconfigSecretsOptions, "hub" | "namespace" | "isWanted">,
): Access {
  const unusable = (why: string): Access => ({ type: "unusable", why: `Secret ${secret.key}: ${why}` });
  if (secret.unreadable !== undefined) return unusable(secret.unreadable);
  const key = kubeconfigKey(preset, Object.keys(secret.content));
  const wanted = preset.takesAnyKey === true ? "at all" : preset.keys.join(" or ");
  if (key === undefined) return unusable(`it has no key ${wanted}; expected a kubeconfig in it`);
  const named = `Secret ${secret.key}, key ${key}`;
  const content = Buffer.from(secret.content[key] ?? "", "base64").toString("utf8");
  const read = readKubeconfig(content, { named, allowExec, allowLoopbackHttp });
  if ("problem" in read) return { type: "unusable", why: `${named}: ${read.problem}` };
  const { contexts, currentContext } = read;
  const only = contexts.size === 1 && currentContext === "" ? [...contexts.values()][0] : undefined;
  const access = only ?? contexts.get(currentContext);
  if (access === undefined)
    return { type: "unusable", why: `${named}: its current-context names no context of it` };
  return access.type === "usable" ? { ...access, target: { ...access.target, name } } : access;
}
