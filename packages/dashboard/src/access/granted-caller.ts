import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import { matchesSelector } from "@fleet-reloader/domain/workload/label-selector";
import {
  type AccessGrant,
  type AccessSubject,
  accessRoles,
} from "@fleet-reloader/runtime/access/access-document";
import type { Caller, Role } from "./caller.ts";

/** A caller, and the part of a fleet that they see. */
export interface Viewer extends Caller {
  /** They see everything, including what cannot be divided by cluster and namespace. */
  readonly seesAll: boolean;
  /** Whether they see anything of a cluster. */
  seesSome(cluster: string): boolean;
}

/** A registered cluster: the fields that grants select by. */
export type GrantedCluster = Pick<RegisteredCluster, "name" | "labels">;

/** The caller without sign-in: it sees everything and may not act. */
export const everybody: Viewer = {
  name: "",
  may: (role) => role === "viewer",
  seesAll: true,
  seesSome: () => true,
};

/** Makes the caller of a subject in the access file. `clusters` are the registered clusters. */
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
    // Every role may see.
    seesSome: (cluster) => grants.some((grant) => includesCluster(grant, cluster, clusters)),
  };
}

function includesRole(grant: AccessGrant, role: Role): boolean {
  return accessRoles.indexOf(grant.role) >= accessRoles.indexOf(role);
}

/** A cluster that is not registered has no labels, so no selector matches it. */
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
