import { Fault } from "@fleet-reloader/domain/fault";
import type { Caller, Role } from "./caller.ts";

/** Where a role is needed. An empty name means all clusters or all namespaces. */
export interface NeededPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The fault of a request whose caller is not known. */
export function unauthenticated(problem: string): Fault {
  const mend = "sign in at /sign-in, or send a token of the access file as Authorization: Bearer";
  return new Fault("access.unauthenticated", `${problem}; ${mend}`, { context: { mend } });
}

/** Faults with `access.forbidden` when a caller does not have the role in the place. */
export function assertMay(caller: Caller, role: Role, place: NeededPlace): void {
  if (caller.may(role, place)) return;
  const { cluster, namespace } = place;
  const inNamespace = namespace === "" ? "all namespaces" : `namespace ${namespace}`;
  const where = `${inNamespace} of ${cluster === "" ? "all clusters" : `cluster ${cluster}`}`;
  const mend = `ask whoever keeps the access file for the role ${role} in ${where}`;
  throw new Fault("access.forbidden", `${caller.name} has not the role ${role} in ${where}; ${mend}`, {
    context: { mend },
  });
}
