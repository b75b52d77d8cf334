import type { Clock, Random } from "@fleet-reloader/engine/clock";
import type { Log } from "@fleet-reloader/engine/log";
import type { ApiResources } from "../../api-resources.ts";
import type { Connection } from "../../connection.ts";
import type { ClusterTarget } from "../../kubeconfig.ts";
import type { ReflectorTimings } from "../../reflector.ts";
import type { RevisionProbe } from "../../revision-probe.ts";

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
