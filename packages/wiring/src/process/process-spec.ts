import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { EmbeddedServer } from "@fleet-reloader/redis/connection/embedded-server";
import type { RedisOwnership, RedisOwnershipOptions } from "@fleet-reloader/redis/ownership/redis-ownership";
import type { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import type {
  auditFields,
  connectionFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import type { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import type { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import type { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import type {
  notifyFields,
  traceFields,
  webhookModeFields,
} from "@fleet-reloader/runtime/config/fields/notify-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import type { DashboardParts } from "../dashboard-parts.ts";
import type { WatchParts } from "../watches/parts.ts";
import type { WorkParts } from "../works/parts.ts";

/** The configuration of every process. */
export type ProcessConfig = ConfigOf<
  typeof connectionFields &
    typeof fleetFields &
    typeof ruleFields &
    typeof webhookModeFields &
    typeof freezeFields &
    typeof historyFields &
    Pick<typeof workerFields, "markKeyFile" | "markKeySecret">
>;

/**
 * What a process consists of. The parts are passed in instead of imported by `startProcess`, so that the bundle of a service contains only what
 * its process runs.
 */
export interface ProcessSpec {
  readonly service: "standalone" | "watcher" | "worker";
  /** Every field of the service. */
  readonly shape: ConfigShape;
  readonly config: ProcessConfig;
  readonly sources: ConfigSources;
  /** Absent: `--redis-url` is required. */
  readonly embeddedRedis?: StartEmbeddedRedis;
  /** Absent: the process watches no cluster. */
  readonly watches?: Watches;
  /** Absent: the process rolls nothing. */
  readonly works?: Works;
  /** Absent: the process serves no pages. */
  readonly dashboard?: Dashboard;
}

export interface Watches {
  readonly parts: WatchParts;
  readonly config: ConfigOf<typeof auditFields & typeof scalingFields & typeof hintFields>;
  /** Shares the clusters with other processes. Absent: this process watches all of them. */
  readonly createOwnership?: (options: RedisOwnershipOptions) => RedisOwnership;
}

export interface Works {
  readonly parts: WorkParts;
  readonly config: ConfigOf<typeof workerFields & typeof notifyFields & typeof traceFields>;
  readonly limits: RollLimits;
}

export interface Dashboard {
  readonly parts: DashboardParts;
  readonly config: ConfigOf<typeof dashboardFields>;
}

export type StartEmbeddedRedis = typeof EmbeddedServer.start;
