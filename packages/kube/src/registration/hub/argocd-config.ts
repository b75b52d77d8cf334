import { isJsonObject, type JsonObject, jsonField, jsonTexts, parseJson } from "@fleet-reloader/domain/json";
import { text } from "../../json.ts";
import { accessOf, type RegistrationPolicy } from "../access.ts";
import type { Access } from "../registration.ts";
import type { Hub } from "./hub.ts";
import type { HubSecret } from "./hub-secrets.ts";

export interface ArgocdContext extends RegistrationPolicy {
  readonly hub: Pick<Hub, "target">;
}

const agentLabel = "argocd-agent.argoproj-labs.io/agent-name";
const skipAnnotation = "argocd.argoproj.io/skip-reconcile";
/** Argo CD's name for the cluster it runs in. */
const ownServer = "https://kubernetes.default.svc";

/** As in Argo CD, the server replaces a missing name, unless it may contain a password or a token. */
export function argoName(secret: HubSecret): string {
  const name = clusterEntry(secret, "name").trim();
  const server = serverOf(secret);
  if (name !== "") return name;
  return server === "" || /[@?#]/.test(server) ? secret.name : server;
}

/** The access to a cluster that a Secret of Argo CD describes, or why it is not used. */
export function accessOfArgoSecret(secret: HubSecret, name: string, context: ArgocdContext): Access {
  const named = `Secret ${secret.key}`;
  const refusal = unservableReason(secret);
  if (refusal !== undefined) return { type: "unusable", why: `${named}: ${refusal}` };
  if (secret.annotations[skipAnnotation] === "true")
    return { type: "paused", why: `${named}: Argo CD leaves it alone (annotation ${skipAnnotation})` };
  const config = configOf(clusterEntry(secret, "config"));
  if (typeof config === "string") return { type: "unusable", why: `${named}: ${config}` };
  const { allowExec, allowLoopbackHttp, hub } = context;
  const access = isOwnCluster(secret, config)
    ? ({ type: "usable", target: { ...hub.target, name }, version: "hub" } as const)
    : accessOf(name, secretEntriesOf(secret, config), { named, allowExec, allowLoopbackHttp });
  const namespaces = argocdNamespacesOf(secret);
  if (access.type !== "usable" || namespaces.length === 0) return access;
  return { ...access, namespaces, version: `${access.version} ${namespaces}` };
}

function secretEntriesOf(secret: HubSecret, config: JsonObject) {
  const tls = jsonField(config, "tlsClientConfig");
  return {
    cluster: {
      server: serverOf(secret),
      ...isPresent("insecure-skip-tls-verify", jsonField(tls, "insecure")),
      ...isPresent("tls-server-name", jsonField(tls, "serverName")),
      ...isPresent("certificate-authority-data", jsonField(tls, "caData")),
      ...isPresent("proxy-url", jsonField(config, "proxyUrl")),
    },
    user: {
      ...isPresent("token", jsonField(config, "bearerToken")),
      ...isPresent("username", jsonField(config, "username")),
      ...isPresent("password", jsonField(config, "password")),
      ...isPresent("client-certificate-data", jsonField(tls, "certData")),
      ...isPresent("client-key-data", jsonField(tls, "keyData")),
      ...isPresent("exec", kubeconfigExec(jsonField(config, "execProviderConfig"))),
    },
  };
}

/** Go omits an empty text. */
function isPresent(name: string, value: unknown): JsonObject {
  return value === undefined || value === null || value === "" ? {} : { [name]: value };
}

/** The format of a kubeconfig, except for the variables: here they are a map. */
function kubeconfigExec(exec: unknown): JsonObject | undefined {
  if (exec === undefined || exec === null) return undefined;
  const env = Object.entries(jsonTexts(exec, "env")).map(([name, value]) => ({ name, value }));
  return isJsonObject(exec) ? { ...exec, env } : { env };
}

/** Argo CD uses the ServiceAccount of its pod for the cluster it runs in, which is the hub. We use our own. */
function isOwnCluster(secret: HubSecret, config: JsonObject): boolean {
  const tls = jsonField(config, "tlsClientConfig");
  const credentials = [
    ...["bearerToken", "username", "execProviderConfig"].map((name) => jsonField(config, name)),
    jsonField(tls, "certData"),
  ];
  return (
    serverOf(secret) === ownServer &&
    credentials.every((value) => value === undefined || value === null || value === "")
  );
}

function argocdNamespacesOf(secret: HubSecret): readonly string[] {
  const names = clusterEntry(secret, "namespaces").split(",");
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ""))];
}

function serverOf(secret: HubSecret): string {
  return clusterEntry(secret, "server").trim().replace(/\/+$/, "");
}

/** Why the cluster of the Secret cannot be reached from here. */
function unservableReason({ labels, unreadable }: HubSecret): string | undefined {
  const agent = labels[agentLabel];
  if (unreadable !== undefined || agent === undefined) return unreadable;
  return `it stands for the agent ${agent} (label ${agentLabel}), whose API server cannot be reached from here; run fleet-reloader in that cluster`;
}

/** The content of `config`, or why it cannot be used. */
function configOf(json: string): JsonObject | string {
  const config = parseJson(json === "" ? "{}" : json);
  if (!isJsonObject(config))
    return "config is no JSON object; expected the one that argocd cluster add writes";
  if ((jsonField(config, "awsAuthConfig") ?? undefined) === undefined) return config;
  return "config.awsAuthConfig needs Argo CD's own helper program, which is not here; use config.bearerToken, or config.execProviderConfig with a command that --allow-exec names";
}

function clusterEntry({ content }: HubSecret, key: string): string {
  return Buffer.from(text(content, key), "base64").toString("utf8");
}
