import { createHash } from "node:crypto";
import { type JsonObject, jsonField, jsonList } from "@fleet-reloader/domain/json";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import { certificateProblem, keyProblem } from "../credentials/certificate.ts";
import { execProblem } from "../credentials/exec-policy.ts";
import { unknownIdentityFields } from "../credentials/kubeconfig.ts";
import { fileAt, type Placed } from "../credentials/named-file.ts";
import { addressProblem, proxyProblem } from "../credentials/server-address.ts";
import { text } from "../json.ts";
import type { Access } from "./registration.ts";

/** The content of a registration as entries of a kubeconfig. Every other format is translated into them. */
export interface Entries {
  readonly cluster: JsonObject;
  readonly user: JsonObject;
}

/** What the author of a registration, who need not be the operator of this process, may make us do. */
export interface RegistrationPolicy {
  /** Commands of exec plugins that may be started. */
  readonly allowExec: readonly string[];
  /** Whether a server on this machine may use plain HTTP; other services here may trust local callers. */
  readonly allowLoopbackHttp: boolean;
}

/** The origin of a registration, and what its author may make us do. */
export interface Origin extends Placed, RegistrationPolicy {
  /** Its name in messages, as in `Secret argocd/prod`. */
  readonly named: string;
}

const clusterTexts = [
  "server",
  "certificate-authority",
  "certificate-authority-data",
  "tls-server-name",
  "proxy-url",
] as const;
const userTexts = [
  "token",
  "tokenFile",
  "username",
  "password",
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "as",
] as const;
const refusedUserFields = ["auth-provider", "token-file", ...unknownIdentityFields] as const;

/**
 * The access to a cluster that somebody other than the operator registered, or why it cannot be used. Only known fields are copied, so that a new
 * field of client-node does not expose our files.
 */
export function accessOf(name: string, entries: Entries, origin: Origin): Access {
  const problem = firstProblem(entries, origin);
  if (problem !== undefined) return { type: "unusable", why: `${origin.named}: ${problem}` };
  const cluster = clusterOf(name, entries.cluster, origin);
  const user = userOf(name, entries.user, origin);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [cluster],
    users: [user],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  const { server, proxyUrl } = cluster;
  const { folder } = origin;
  const filesBelow = folder === undefined ? {} : { filesBelow: folder };
  const target = { name, server, proxyUrl, config, ...filesBelow };
  return { type: "usable", target, version: accessVersionOf(cluster, user) };
}

/** Equal addresses and credentials have equal versions. It is compared and never shown. */
function accessVersionOf(cluster: Cluster, user: User): string {
  return createHash("sha256")
    .update(JSON.stringify([cluster, user]))
    .digest("hex");
}

function firstProblem({ cluster, user }: Entries, origin: Origin): string | undefined {
  return (
    typeProblem(cluster, clusterTexts) ??
    typeProblem(user, userTexts) ??
    addressProblem(text(cluster, "server")) ??
    loopbackProblem(text(cluster, "server"), origin) ??
    trustProblem(cluster) ??
    proxyProblem(text(cluster, "proxy-url")) ??
    refusedProblem(user) ??
    execProblem(user, origin.allowExec) ??
    filesProblem(cluster, user, origin) ??
    credentialsProblem(cluster, user)
  );
}

/** YAML reads an unquoted token of digits as a number. Reporting that here avoids an unexplained 401 later. */
function typeProblem(entry: JsonObject, fields: readonly string[]): string | undefined {
  const wrong = fields.find(
    (name) => !["string", "undefined"].includes(typeof (jsonField(entry, name) ?? undefined)),
  );
  return wrong === undefined ? undefined : `${wrong} is no text; put its value in quotes`;
}

/** Plain HTTP to another machine was refused earlier, so this server is on this machine. */
function loopbackProblem(server: string, { allowLoopbackHttp }: RegistrationPolicy): string | undefined {
  if (allowLoopbackHttp || new URL(server).protocol === "https:") return undefined;
  return `its server ${new URL(server).origin} is plain HTTP on this machine; use https, or allow it with --allow-loopback-http`;
}

function trustProblem(cluster: JsonObject): string | undefined {
  const data = text(cluster, "certificate-authority-data");
  const isInsecure = jsonField(cluster, "insecure-skip-tls-verify") === true;
  if (isInsecure && (data !== "" || text(cluster, "certificate-authority") !== ""))
    return "it has a certificate authority and skips the verification it is for (insecure); take one of the two away";
  return certificateProblem("the certificate authority", data);
}

function refusedProblem(user: JsonObject): string | undefined {
  const refused = refusedUserFields.find((name) => (jsonField(user, name) ?? undefined) !== undefined);
  return refused === undefined
    ? undefined
    : `the user's ${refused} is not taken from a registration; use a token, a client certificate, or an exec plugin that --allow-exec names`;
}

function filesProblem(cluster: JsonObject, user: JsonObject, origin: Origin): string | undefined {
  const files = [
    ["certificate-authority", text(cluster, "certificate-authority")],
    ...(["tokenFile", "client-certificate", "client-key"] as const).map((name) => [name, text(user, name)]),
  ] as const;
  for (const [name, file] of files) {
    if (file === undefined || file === "") continue;
    const placed = fileAt(file, origin);
    if ("problem" in placed) return `${name} ${placed.problem}`;
  }
  return undefined;
}

function credentialsProblem(cluster: JsonObject, user: JsonObject): string | undefined {
  const has = (name: string): boolean => text(user, name) !== "";
  const hasCertificate = has("client-certificate-data") || has("client-certificate");
  const hasKey = has("client-key-data") || has("client-key");
  if (hasCertificate !== hasKey)
    return "a client certificate and its key belong together, and one of them is missing";
  if (has("username") !== has("password"))
    return "a username and its password belong together, and one is missing";
  // An HTTP header is visible ASCII. Any other character would fail each request without a reason.
  if (has("token") && !/^[\x21-\x7e]+$/.test(text(user, "token").trim()))
    return "its token has blanks or other characters that no token has; encode it anew";
  const isAnonymous = !(["token", "tokenFile", "username"].some(has) || hasCertificate || hasExec(user));
  if (isAnonymous && text(cluster, "server").startsWith("https:"))
    return "it has no credentials; add a token or a client certificate";
  return (
    certificateProblem("the client certificate", text(user, "client-certificate-data")) ??
    keyProblem(text(user, "client-key-data"))
  );
}

function hasExec(user: JsonObject): boolean {
  return (jsonField(user, "exec") ?? undefined) !== undefined;
}

function clusterOf(name: string, cluster: JsonObject, origin: Origin): Cluster {
  const server = text(cluster, "server").replace(/\/+$/, "");
  const caData = text(cluster, "certificate-authority-data");
  const tlsServerName = text(cluster, "tls-server-name");
  const proxyUrl = text(cluster, "proxy-url");
  return {
    name,
    server,
    // client-node refuses plain HTTP unless TLS verification is off; this server is on this machine.
    skipTLSVerify: server.startsWith("http:") || jsonField(cluster, "insecure-skip-tls-verify") === true,
    ...(caData === "" ? fileField("caFile", text(cluster, "certificate-authority"), origin) : { caData }),
    ...(tlsServerName === "" ? {} : { tlsServerName }),
    ...(proxyUrl === "" ? {} : { proxyUrl }),
  };
}

function userOf(name: string, user: JsonObject, origin: Origin): User {
  const inline = (field: string, entry: string) =>
    text(user, entry) === "" ? {} : { [field]: text(user, entry) };
  const inlineOrFile = (field: string, entry: string) =>
    text(user, `${entry}-data`) === ""
      ? fileField(`${field}File`, text(user, entry), origin)
      : inline(`${field}Data`, `${entry}-data`);
  const tokenFile = fileField("tokenFile", text(user, "tokenFile"), origin);
  return {
    name,
    // With this provider client-node reads the token file, as it does in pods; kubectl prefers the file to a token.
    ...("tokenFile" in tokenFile
      ? { authProvider: { name: "tokenFile", config: tokenFile } }
      : inline("token", "token")),
    ...inline("username", "username"),
    ...inline("password", "password"),
    ...inline("impersonateUser", "as"),
    ...inlineOrFile("cert", "client-certificate"),
    ...inlineOrFile("key", "client-key"),
    ...(hasExec(user) ? { exec: execOf(jsonField(user, "exec")) } : {}),
  };
}

function fileField(field: string, file: string, origin: Origin): Readonly<Record<string, string>> {
  if (file === "") return {};
  const placed = fileAt(file, origin);
  return "path" in placed ? { [field]: placed.path } : {};
}

/** The command of a plugin with its arguments and its environment. */
function execOf(exec: unknown): object {
  return {
    apiVersion: text(exec, "apiVersion"),
    command: text(exec, "command"),
    args: jsonList(exec, "args").filter((arg) => typeof arg === "string"),
    env: jsonList(exec, "env").map((one) => ({ name: text(one, "name"), value: text(one, "value") })),
  };
}
