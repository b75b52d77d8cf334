import type { ActedFleet } from "@fleet-reloader/engine/act/acted-fleet";
import type { ClusterOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import type { Caller, IdentifyCaller } from "../access/caller.ts";

import type { ProgressSeal } from "./act-progress.ts";

/** What a dashboard needs to let people act. */
export interface DashboardActs {
  readonly identify: IdentifyCaller;
  readonly fleet: ActedFleet;
  /** Where freezes are declared, for all processes to read; undefined: nowhere. */
  readonly freezes: FreezeStores | undefined;
}

/** Somebody who acts, and what is there to act on. */
export interface ActingPerson {
  readonly acts: DashboardActs;
  readonly caller: Caller;
  readonly registered: readonly ClusterOverview[];
  /** Keeps how far acts on many have come. */
  readonly progress: ProgressSeal;
}
