import { isJsonObject, type JsonObject, jsonField, jsonList } from "@fleet-reloader/domain/json";
import { load } from "js-yaml";
import { text } from "../json.ts";
import { accessOf, type Origin } from "./access.ts";
import type { Access } from "./registration.ts";

/** A parsed kubeconfig: contexts by name, each with its access. */
export interface ReadKubeconfig {
  /** As in kubectl: the first context of a name counts. */
  readonly contexts: ReadonlyMap<string, Access>;
  readonly currentContext: string;
}

export interface KubeconfigProblem {
  readonly problem: string;
}

/**
 * The contexts of a registered kubeconfig, each judged on its own: an unusable one hides no other. Messages of the parser are dropped, since they
 * quote the text.
 */
export function readKubeconfig(content: string, origin: Origin): ReadKubeconfig | KubeconfigProblem {
  const document = parseKubeconfig(content);
  if ("problem" in document) return document;
  const { kubeconfig } = document;
  const named = new Map<string, Access>();
  for (const context of jsonList(kubeconfig, "contexts")) {
    const name = text(context, "name");
    if (name !== "" && !named.has(name)) named.set(name, accessOfContext(kubeconfig, name, context, origin));
  }
  if (named.size === 0) return { problem: "it has no contexts; expected clusters, users and contexts" };
  return { contexts: named, currentContext: text(kubeconfig, "current-context") };
}

/** The user of a context, or of the current one, for callers that know the server from elsewhere. */
export function readKubeconfigUser(
  content: string,
  wanted: string,
): { readonly user: JsonObject } | KubeconfigProblem {
  const document = parseKubeconfig(content);
  if ("problem" in document) return document;
  const { kubeconfig } = document;
  const name = wanted === "" ? text(kubeconfig, "current-context") : wanted;
  const context = entryOf(kubeconfig, "contexts", name, "context");
  const user = context && entryOf(kubeconfig, "users", text(context, "user"), "user");
  return user === undefined ? { problem: `it has no context ${JSON.stringify(name)} with a user` } : { user };
}

function parseKubeconfig(content: string): { readonly kubeconfig: JsonObject } | KubeconfigProblem {
  if (content.trim() === "") return { problem: "it is empty; expected a kubeconfig" };
  try {
    const document = load(content);
    if (!isJsonObject(document))
      return { problem: "it is no kubeconfig; expected clusters, users and contexts" };
    if (!["", "Config"].includes(text(document, "kind")))
      return { problem: "it is an object of another kind; expected a kubeconfig (kind: Config)" };
    return { kubeconfig: document };
  } catch {
    return { problem: "it is no YAML; expected a kubeconfig" };
  }
}

function accessOfContext(kubeconfig: JsonObject, name: string, context: unknown, origin: Origin): Access {
  const named = { ...origin, named: `${origin.named}, context ${name}` };
  const unusable = (why: string): Access => ({ type: "unusable", why: `${named.named}: ${why}` });
  const clusterName = text(context, "context", "cluster");
  const cluster = entryOf(kubeconfig, "clusters", clusterName, "cluster");
  if (cluster === undefined) return unusable("its cluster is not defined; add it under clusters");
  const user = entryOf(kubeconfig, "users", text(context, "context", "user"), "user");
  if (user === undefined) return unusable("its user is not defined; add it under users");
  return accessOf(name, { cluster, user }, named);
}

function entryOf(
  kubeconfig: JsonObject,
  plural: string,
  name: string,
  inner: string,
): JsonObject | undefined {
  const found = jsonList(kubeconfig, plural).find((one) => text(one, "name") === name);
  const entry = jsonField(found, inner);
  return isJsonObject(entry) ? entry : undefined;
}
