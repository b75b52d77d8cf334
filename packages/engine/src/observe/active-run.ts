import { hasJobEnded } from "@fleet-reloader/domain/kind/job";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";

interface RunReading {
  readonly api: Pick<ClusterApi, "readWorkload">;
  readonly kind: Pick<WorkloadKind, "exclusiveRuns">;
  readonly live: Pick<LiveWorkload, "ref" | "object">;
  readonly signal: AbortSignal;
}

/**
 * The name of a Job beside which the workload may not be run; undefined: it may be run. The Job of an earlier roll is read, because the
 * CronJob's controller lists only the Jobs that it made itself.
 */
export async function activeRun({ api, kind, live, signal }: RunReading): Promise<string | undefined> {
  const runs = kind.exclusiveRuns?.(live.object);
  if (runs === undefined) return undefined;
  const { active, lastMade } = runs;
  if (active !== undefined || lastMade === undefined) return active;
  const made = await api.readWorkload({ kind: "Job", namespace: live.ref.namespace, name: lastMade }, signal);
  return made === undefined || hasJobEnded(made.object) ? undefined : lastMade;
}
