import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import { KubeConfig, type User } from "@kubernetes/client-node";
import { load } from "js-yaml";
import { text } from "../json.ts";
import { addressProblem } from "./server-address.ts";

/** One context of a kubeconfig: the settings that make one cluster. */
export interface ClusterTarget {
  /** What people call it: the context's name. */
  readonly name: string;
  readonly server: string;
  readonly proxyUrl: string | undefined;
  /** One KubeConfig per cluster: it holds the credentials and knows how to renew them. */
  readonly config: KubeConfig;
  /** Only files below this folder are read; undefined: any file, since the operator names them. */
  readonly filesBelow?: string;
  /** Reads again what the kubeconfig says of the user. Absent: it was read from elsewhere than a file that the operator names. */
  readonly renew?: () => void;
}

/** The clusters to serve: those of the kubeconfig files, or without one the cluster this process runs in. */
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

/** Programs write a kubeconfig again when its token ends. A plugin renews what it gives by itself, and no other takes its place. */
function renewUser({ config, name }: ClusterTarget, files: readonly string[]): void {
  const before = config.getCurrentUser();
  // Reading all contexts of a large file takes a while, and the tokens of a plugin end together.
  if (before === null || hasPlugin(before)) return;
  const now = userNow(files, name);
  if (now === undefined || hasPlugin(now)) return;
  config.users = [Object.assign({}, now, { name: before.name })];
}

/** Undefined: the files cannot be read now, as while somebody writes them, and what was refused stays refused. */
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
 * The part of a kubeconfig that one context needs: each cluster's credentials are renewed on their own, and a thousand contexts
 * must not hold a thousand copies of all. A name that is not there leaves the whole, for a message that tells what there is.
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

// Where kubelet puts it: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** Where this process keeps what is its own: the cluster it runs in, or outside of one the first that it is given. */
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

/** As kubectl does: of several files some may be missing; what is there has to be readable. */
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

/** As kubectl does: the first file that has an entry of a name wins, and the first that has a current context. */
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
    // As kubectl does: an entry that lacks something matters only where it is used.
    config.loadFromString(content, { onInvalidEntry: "filter" });
    preferData(config);
    // As kubectl does: files are named relative to the kubeconfig, not to where the process was started.
    config.makePathsAbsolute(dirname(path));
    readUsers(config, load(content), dirname(path));
  } catch {
    // The parser's message may quote the file, which holds credentials: only the fact is passed on.
    throw new Fault(
      "config.invalid",
      `--kubeconfig ${path}: this is no kubeconfig; expected YAML with clusters, users and contexts`,
    );
  }
  return config;
}

/** As kubectl does: data that is given beside a file overrides it. client-node prefers the file. */
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

/** client-node passes on only the name of `as`. Without these fields we would act as somebody else. */
export const unknownIdentityFields = ["as-uid", "as-groups", "as-user-extra"] as const;

interface ReadUser extends User {
  /** The field of it that cannot be used, if there is one. */
  readonly impersonation?: string;
}

/** What client-node does not read of a user, or reads otherwise than kubectl. */
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

/** client-node knows `tokenFile` only of pods, where it reads the file again each minute; kubectl prefers it to `token`. */
function withTokenFile(user: User, tokenFile: string, dir: string): User {
  if (tokenFile === "") return user;
  const { token: _token, ...rest } = user;
  return {
    ...rest,
    authProvider: { name: "tokenFile", config: { tokenFile: resolve(dir, tokenFile) } },
  };
}

/** A command with a separator is a path, and relative to the kubeconfig like every other. One without is looked for on PATH. */
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

/** client-node refuses plain HTTP unless TLS verification is off; there is no TLS to this machine to verify. */
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
