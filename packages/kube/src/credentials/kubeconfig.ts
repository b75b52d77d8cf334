import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import { KubeConfig, type User } from "@kubernetes/client-node";
import { load } from "js-yaml";
import { text } from "../json.ts";
import { addressProblem } from "./server-address.ts";

/** One context of a kubeconfig: the settings for one cluster. */
export interface ClusterTarget {
  /** What people call it: the context's name. */
  readonly name: string;
  readonly server: string;
  readonly proxyUrl: string | undefined;
  /** One KubeConfig per cluster: it holds the credentials and knows how to renew them. */
  readonly config: KubeConfig;
  /** Only files below this folder are read; undefined: any file, since the operator names them. */
  readonly filesBelow?: string;
  /** Reads the user of the kubeconfig again. Absent: the kubeconfig is not a file that the operator names. */
  readonly renew?: () => void;
}

/** The clusters to serve: those of the kubeconfig files, or, without files, the cluster this process runs in. */
export function selectTargets(
  files: readonly string[],
  contexts: readonly string[],
): readonly ClusterTarget[] {
  return files.length === 0 ? [inClusterTarget()] : loadTargets(files, contexts);
}

/**
 * The clusters of kubeconfig files: the named contexts, or the current one. Faults with `config.invalid` naming the files,
 * the context and the mend.
 */
function loadTargets(files: readonly string[], contexts: readonly string[]): readonly ClusterTarget[] {
  const named = files.join(":");
  const merged = merge(named, readAll(files));
  const names = contexts.length > 0 ? contexts : [""];
  return names.map((name) => {
    const read = target(named, ownConfig(merged, name), name);
    return Object.assign({}, read, { renew: () => renewUser(read, files) });
  });
}

/** Programs rewrite a kubeconfig when its token expires. A plugin renews its own credentials, and nothing replaces it. */
function renewUser({ config, name }: ClusterTarget, files: readonly string[]): void {
  const before = config.getCurrentUser();
  // Reading all contexts of a large file takes a while, and the tokens of a plugin expire together.
  if (before === null || hasPlugin(before)) return;
  const now = userNow(files, name);
  if (now === undefined || hasPlugin(now)) return;
  config.users = [Object.assign({}, now, { name: before.name })];
}

/** Undefined: the files cannot be read now, for example while they are being written; the refused credentials stay in use. */
function userNow(files: readonly string[], name: string): User | undefined {
  try {
    return loadTargets(files, [name])[0]?.config.getCurrentUser() ?? undefined;
  } catch {
    return undefined;
  }
}

function hasPlugin({ exec }: User): boolean {
  return (exec ?? undefined) !== undefined;
}

/**
 * The part of a kubeconfig that one context needs: the credentials of each cluster are renewed separately, and a thousand contexts must not hold
 * a thousand full copies. If the name does not exist, returns everything, so that a message can list what exists.
 */
function ownConfig(all: KubeConfig, wanted: string): KubeConfig {
  const name = wanted === "" ? all.getCurrentContext() : wanted;
  const context = all.getContextObject(name);
  const own = new KubeConfig();
  own.loadFromOptions({
    clusters: all.clusters.filter((each) => context === null || each.name === context.cluster),
    users: all.users.filter((each) => context === null || each.name === context.user),
    contexts: context === null ? all.contexts : [context],
    currentContext: all.getCurrentContext(),
  });
  return own;
}

// Where kubelet mounts it: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** The cluster for this process' own objects: the one it runs in, or, outside of a cluster, the first given one. */
export function homeTarget(files: readonly string[], contexts: readonly string[]): ClusterTarget | undefined {
  return existsSync(serviceAccountToken) ? inClusterTarget() : selectTargets(files, contexts)[0];
}

/** The cluster this process runs in, from its ServiceAccount. */
function inClusterTarget(): ClusterTarget {
  if (!existsSync(serviceAccountToken)) {
    throw new Fault(
      "config.invalid",
      "--kubeconfig: it is missing, as is ~/.kube/config, and this process does not run in a pod; name a kubeconfig file",
    );
  }
  const config = new KubeConfig();
  config.loadFromCluster();
  return {
    name: "in-cluster",
    server: config.getCurrentCluster()?.server ?? "",
    proxyUrl: undefined,
    config,
  };
}

interface KubeconfigFile {
  readonly path: string;
  readonly content: string;
}

/** As in kubectl: some of several files may be missing, but existing ones have to be readable. */
function readAll(paths: readonly string[]): readonly KubeconfigFile[] {
  const present = paths.length === 1 ? paths : paths.filter((path) => existsSync(path));
  const wanted = present.length > 0 ? present : paths;
  return wanted.map((path) => ({ path, content: readKubeconfigText(path) }));
}

function readKubeconfigText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Fault(
      "config.invalid",
      `--kubeconfig ${file}: the file cannot be read (${why}); give the path of a kubeconfig you may read`,
      { cause: error },
    );
  }
}

/** As in kubectl: for each name the first file that has it wins, and the first current context wins. */
function merge(named: string, files: readonly KubeconfigFile[]): KubeConfig {
  const parts = files.map(parseKubeconfigText);
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firstOfName(parts.flatMap(({ clusters }) => clusters)),
    users: firstOfName(parts.flatMap(({ users }) => users)),
    contexts: firstOfName(parts.flatMap(({ contexts }) => contexts)),
    currentContext: parts.map((part) => part.getCurrentContext()).find((name) => (name ?? "") !== ""),
  });
  if (merged.contexts.length === 0) {
    throw new Fault(
      "config.invalid",
      `--kubeconfig ${named}: it has no contexts; expected YAML with clusters, users and contexts`,
    );
  }
  return merged;
}

function firstOfName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...Map.groupBy(entries, ({ name }) => name).values()].flatMap((same) => same.slice(0, 1));
}

function parseKubeconfigText({ path, content }: KubeconfigFile): KubeConfig {
  const config = new KubeConfig();
  if (content.trim() === "") {
    config.loadFromOptions({ clusters: [], users: [], contexts: [], currentContext: "" });
    return config;
  }
  try {
    // As in kubectl: an incomplete entry matters only when it is used.
    config.loadFromString(content, { onInvalidEntry: "filter" });
    preferData(config);
    // As in kubectl: paths are relative to the kubeconfig, not to the working directory.
    config.makePathsAbsolute(dirname(path));
    readUsers(config, load(content), dirname(path));
  } catch {
    // The parser's message may quote the file, which holds credentials, so it is dropped.
    throw new Fault(
      "config.invalid",
      `--kubeconfig ${path}: this is no kubeconfig; expected YAML with clusters, users and contexts`,
    );
  }
  return config;
}

/** As in kubectl: inline data overrides a file. client-node prefers the file. */
function preferData(config: KubeConfig): void {
  config.clusters = config.clusters.map(({ caFile, ...cluster }) => {
    const isData = (cluster.caData ?? "") !== "";
    return isData || caFile === undefined ? cluster : { ...cluster, caFile };
  });
  config.users = config.users.map(({ certFile, keyFile, ...user }) => ({
    ...user,
    ...((user.certData ?? "") !== "" || certFile === undefined ? {} : { certFile }),
    ...((user.keyData ?? "") !== "" || keyFile === undefined ? {} : { keyFile }),
  }));
}

/** client-node passes on only the user name of `as`. Ignoring these fields would make us act as somebody else. */
export const unknownIdentityFields = ["as-uid", "as-groups", "as-user-extra"] as const;

interface ReadUser extends User {
  /** The field that cannot be used, if there is one. */
  readonly impersonation?: string;
}

/** Adds user fields that client-node does not read, or reads differently from kubectl. */
function readUsers(config: KubeConfig, document: unknown, dir: string): void {
  const named = jsonList(document, "users");
  config.users = config.users.map((user) => {
    const entry = jsonField(
      named.find((each) => text(each, "name") === user.name),
      "user",
    );
    const impersonation = unknownIdentityFields.find((field) => jsonField(entry, field) !== undefined);
    const read: ReadUser = withPluginPath(withTokenFile(user, text(entry, "tokenFile"), dir), dir);
    return impersonation === undefined ? read : { ...read, impersonation };
  });
}

/** client-node supports `tokenFile` only as pods use it, where it reads the file again each minute; kubectl prefers it to `token`. */
function withTokenFile(user: User, tokenFile: string, dir: string): User {
  if (tokenFile === "") return user;
  const { token: _token, ...rest } = user;
  return {
    ...rest,
    authProvider: { name: "tokenFile", config: { tokenFile: resolve(dir, tokenFile) } },
  };
}

/** A command with a separator is a path relative to the kubeconfig, like every other path. A command without one is looked up on PATH. */
function withPluginPath(user: User, dir: string): User {
  const command = text(user, "exec", "command");
  return command.includes("/") ? { ...user, exec: { ...user.exec, command: resolve(dir, command) } } : user;
}

function target(file: string, config: KubeConfig, wanted: string): ClusterTarget {
  const name = wanted === "" ? (config.getCurrentContext() ?? "") : wanted;
  const known = config.contexts.map((context) => context.name);
  if (!known.includes(name)) throw noContext(name, wanted === "", `${file}; it has: ${known.join(", ")}`);
  config.setCurrentContext(name);
  const refuse = (problem: string) => new Fault("config.invalid", `--context ${name}: ${problem}`);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw refuse(`its cluster is not defined in ${file}; add it under clusters`);
  if (config.getCurrentUser() === null)
    throw refuse(`its user is not defined in ${file}; add it under users`);
  const impersonation = text(config.getCurrentUser(), "impersonation");
  if (impersonation !== "")
    throw refuse(`its user's ${impersonation}: only the user name of "as" is passed on; remove the field`);
  const problem = addressProblem(cluster.server ?? "");
  if (problem !== undefined) throw refuse(problem);
  if (new URL(cluster.server).protocol === "http:") allowPlainLoopback(config, cluster.server);
  return { name, server: cluster.server, proxyUrl: cluster.proxyUrl || undefined, config };
}

/** client-node refuses plain HTTP unless TLS verification is off. A connection to this machine has no TLS to verify. */
function allowPlainLoopback(config: KubeConfig, server: string): void {
  config.clusters = config.clusters.map((each) =>
    each.server === server ? { ...each, skipTLSVerify: true } : each,
  );
}

function noContext(name: string, isCurrent: boolean, where: string): Fault {
  return new Fault(
    "config.invalid",
    isCurrent
      ? `current-context "${name}": no such context in ${where}; name one with --context`
      : `--context ${name}: no such context in ${where}`,
  );
}
