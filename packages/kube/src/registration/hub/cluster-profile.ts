import { isJsonObject, type JsonObject, jsonField, jsonList } from "@fleet-reloader/domain/json";
import type { AccessProvider } from "@fleet-reloader/domain/registration/access-provider";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { stringMap, text } from "../../json.ts";
import { accessOf, type RegistrationPolicy } from "../access.ts";
import { readKubeconfigUser } from "../kubeconfig-contexts.ts";
import type { Access } from "../registration.ts";
import type { HubSecret } from "./hub-secrets.ts";
import type { Keyed } from "./kept-objects.ts";

export interface ClusterProfile extends Keyed {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Provider → the cluster in the format of a kubeconfig. */
  readonly clusters: ReadonlyMap<string, JsonObject>;
}

/** Where the credentials of a profile are stored. */
export interface CredentialPlace {
  readonly provider: AccessProvider;
  readonly cluster: JsonObject;
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
  readonly context: string;
}

/** `accessProviders` was called `credentialProviders`; if both have a name, the newer field counts. */
export function clusterProfile(object: unknown): ClusterProfile | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  if (namespace === "" || name === "") return undefined;
  const clusters = new Map<string, JsonObject>();
  for (const place of ["credentialProviders", "accessProviders"]) {
    for (const provider of jsonList(object, "status", place)) {
      const cluster = jsonField(provider, "cluster");
      if (isJsonObject(cluster)) clusters.set(text(provider, "name"), cluster);
    }
  }
  const labels = stringMap(object, "metadata", "labels");
  return { key: `${namespace}/${name}`, namespace, name, labels, clusters };
}

/** The first of our access providers that the profile offers, or why there is none. */
export function placeOf(
  profile: ClusterProfile,
  wanted: readonly AccessProvider[],
): CredentialPlace | { readonly problem: string } {
  const provider = wanted.find((name) => profile.clusters.has(name));
  const cluster = provider && profile.clusters.get(provider);
  if (provider === undefined || cluster === undefined) {
    const offered = [...profile.clusters.keys()].join(", ") || "none";
    return { problem: `of its access providers (${offered}) none is one of ${wanted.join(", ")}` };
  }
  const asked = jsonList(cluster, "extensions").find(
    (one) => text(one, "name") === "client.authentication.k8s.io/exec",
  );
  const said = jsonField(asked, "extension");
  const { namespace, name } = profile;
  if (provider === "secretreader") {
    const secret = text(said, "clusterName") || name;
    return { provider, cluster, namespace, secret, key: "token", context: "" };
  }
  const [secret, key] = [text(said, "name"), text(said, "key")];
  if (secret === "" || key === "")
    return { problem: `its ${provider} names no Secret; expected name and key` };
  // The author of a profile chooses the server, so a Secret of another namespace must not be sent to it.
  if (!["", namespace].includes(text(said, "namespace")))
    return {
      problem: `its ${provider} names a Secret of another namespace; put the Secret beside the profile`,
    };
  return { provider, cluster, namespace, secret, key, context: text(said, "context") };
}

/** The access to the cluster of a profile, with the Secret at its place. */
export function accessOfProfile(
  { key, name }: ClusterProfile,
  place: CredentialPlace,
  {
    secret,
    allowLoopbackHttp,
  }: Pick<RegistrationPolicy, "allowLoopbackHttp"> & { readonly secret: HubSecret | undefined },
): Access {
  const named = `ClusterProfile ${key}, Secret ${place.namespace}/${place.secret}`;
  const unusable = (why: string): Access => ({ type: "unusable", why: `${named}: ${why}` });
  if (secret === undefined) return unusable("there is no such Secret yet");
  if (secret.unreadable !== undefined) return unusable(secret.unreadable);
  const content = Buffer.from(secret.content[place.key] ?? "", "base64").toString("utf8");
  if (content === "") return unusable(`it has no key ${place.key}`);
  const user =
    place.provider === "secretreader"
      ? { user: { token: content } }
      : readKubeconfigUser(content, place.context);
  if ("problem" in user) return unusable(user.problem);
  // The reference plugin also refuses plugins here.
  return accessOf(
    name,
    { cluster: place.cluster, user: user.user },
    { named, allowLoopbackHttp, allowExec: [] },
  );
}
