import type { ActedFleet } from "@fleet-reloader/engine/act/acted-fleet";
import type { ClusterOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import type { Caller, IdentifyCaller } from "../access/caller.ts";

import type { ProgressSeal } from "./act-progress.ts";

/** What a dashboard needs so that people can act. */
export interface DashboardActs {
  readonly identify: IdentifyCaller;
  readonly fleet: ActedFleet;
  /** The stores of freezes that all processes read; undefined: there are none. */
  readonly freezes: FreezeStores | undefined;
}

/** A person who acts, and what they can act on. */
export interface ActingPerson {
  readonly acts: DashboardActs;
  readonly caller: Caller;
  readonly registered: readonly ClusterOverview[];
  /** Seals the progress of acts on many workloads. */
  readonly progress: ProgressSeal;
}
