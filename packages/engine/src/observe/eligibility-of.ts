import type { Eligibility } from "@fleet-reloader/domain/workload/eligibility";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { Settings } from "../ports/settings.ts";

/** The rules of a kind; undefined when it is not served. */
export function servedKind(
  kind: string,
  settings: Pick<Settings, "workloadKinds">,
): WorkloadKind | undefined {
  return settings.workloadKinds.find((served) => served.kind === kind);
}

/** Whether a workload is served now, by the rules of its kind. */
export function eligibilityOf(
  workload: LiveWorkload,
  settings: Pick<Settings, "workloadKinds">,
): Eligibility {
  return servedKind(workload.ref.kind, settings)?.eligibility?.(workload.object) ?? "served";
}
