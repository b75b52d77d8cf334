import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { RbacRule } from "./world.ts";

const manifests = new URL("../../../infra/manifests/fleet-reloader.yaml", import.meta.url);

/** The rights that are shipped: the rules of the ClusterRole in the rendered manifests. */
export function shippedRights(): readonly RbacRule[] {
  const documents = parseAllDocuments(readFileSync(manifests, "utf8"));
  if ("empty" in documents) throw new Error(`${manifests.pathname} is empty`);
  const role = documents.find((document) => document.get("kind") === "ClusterRole")?.toJS();
  if (role === undefined) throw new Error(`${manifests.pathname} holds no ClusterRole`);
  return role.rules;
}

/** The same for some namespaces only: what a Role can grant. Namespaces are of the cluster. */
export function shippedRightsInNamespaces(): readonly RbacRule[] {
  return shippedRights().filter((rule) => !rule.resources.includes("namespaces"));
}

export function without(resource: string, rules: readonly RbacRule[]): readonly RbacRule[] {
  return rules.map((rule) => ({ ...rule, resources: rule.resources.filter((each) => each !== resource) }));
}
