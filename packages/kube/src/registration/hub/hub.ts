import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterTarget } from "../../credentials/kubeconfig.ts";
import type { ApiResources } from "../../discovery/api-resources.ts";
import type { RevisionProbe } from "../../discovery/revision-probe.ts";
import type { Connection } from "../../http/connection.ts";
import type { ReflectorTimings } from "../../watch/reflector.ts";

/** The cluster whose objects register others. */
export interface Hub {
  readonly target: ClusterTarget;
  readonly connection: Connection;
  readonly probe: RevisionProbe;
  readonly resources: ApiResources;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings>;
}
