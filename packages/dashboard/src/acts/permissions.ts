import { type ActName, actNames } from "@fleet-reloader/contracts/api/act-routes";
import { servingNamesOf } from "@fleet-reloader/domain/cluster/each-cluster-once";
import type { Fault } from "@fleet-reloader/domain/fault";
import type { ClusterOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { Caller, Role } from "../access/caller.ts";
import { assertMay } from "../access/refuse-access.ts";

/** Where an act happens; empty names: in all clusters, in all namespaces. */
export interface ActPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The role that an act needs. A freeze of a whole cluster or fleet also stops other people's rolls. */
function roleFor(act: ActName, { namespace }: ActPlace): Role {
  return (act === "freeze" || act === "lift") && namespace === "" ? "admin" : "operator";
}

/** The acts that a caller may do in a place. A caller without a name may do none. */
export function permittedActs(caller: Caller, place: ActPlace): readonly ActName[] {
  if (caller.name === "") return [];
  return actNames.filter((act) => caller.may(roleFor(act, place), place));
}

/** Faults unless a caller may do an act in a place. Grants use the names under which clusters are served. */
export function assertPermitted(
  act: ActName,
  caller: Caller,
  { cluster, namespace }: ActPlace,
  registered: readonly ClusterOverview[],
): void {
  if (caller.name === "") throw nobodySignedIn();
  for (const name of servingNamesOf(cluster, registered)) {
    const place = { cluster: name, namespace };
    assertMay(caller, roleFor(act, place), place);
  }
}

/** The fault of an act without sign-in, or by a caller who has not signed in. */
export function nobodySignedIn(): Fault {
  return refusedQuestion({
    field: "caller",
    value: "",
    problem: "caller: nobody is signed in, so nobody may act",
    mend: "use the command line, for example fleet-reloader retry",
  });
}
