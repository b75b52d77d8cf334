import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import { matchesSelector } from "@fleet-reloader/domain/workload/label-selector";
import {
  type AccessGrant,
  type AccessSubject,
  accessRoles,
} from "@fleet-reloader/runtime/access/access-document";
import type { Caller, Role } from "./caller.ts";

/** A caller, and what of a fleet they see. */
export interface Viewer extends Caller {
  /** Everything, also what cannot be divided by cluster and namespace. */
  readonly seesAll: boolean;
  /** Something of a cluster. */
  seesSome(cluster: string): boolean;
}

/** A registered cluster as grants tell it from others. */
export type GrantedCluster = Pick<RegisteredCluster, "name" | "labels">;

/** The caller where nobody signs in: it sees everything and does nothing. */
export const everybody: Viewer = {
  name: "",
  may: (role) => role === "viewer",
  seesAll: true,
  seesSome: () => true,
};

/** What a subject of the access file may. The clusters are those that are registered now. */
export function createGrantedCaller(
  { name, grants }: Pick<AccessSubject, "name" | "grants">,
  clusters: readonly GrantedCluster[],
): Viewer {
  const may: Caller["may"] = (role, { cluster, namespace }) =>
    grants.some(
      (grant) =>
        includesRole(grant, role) &&
        includesCluster(grant, cluster, clusters) &&
        (grant.namespaces === "all" || (namespace !== "" && grant.namespaces.includes(namespace))),
    );
  return {
    name,
    may,
    seesAll: may("viewer", { cluster: "", namespace: "" }),
    // Each role sees.
    seesSome: (cluster) => grants.some((grant) => includesCluster(grant, cluster, clusters)),
  };
}

function includesRole(grant: AccessGrant, role: Role): boolean {
  return accessRoles.indexOf(grant.role) >= accessRoles.indexOf(role);
}

/** A cluster that is not registered has no labels: a selector does not reach it. */
function includesCluster(
  { clusters: granted }: AccessGrant,
  cluster: string,
  registered: readonly GrantedCluster[],
): boolean {
  if (granted === "all") return true;
  if (cluster === "") return false;
  if (!("requirements" in granted)) return granted.includes(cluster);
  const its = registered.filter(({ name }) => name === cluster);
  return its.length > 0 && its.every(({ labels }) => matchesSelector(granted, labels));
}
