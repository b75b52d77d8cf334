import { isActedOn } from "@fleet-reloader/domain/workload/eligibility";
import { windowOf } from "../../observe/interest.ts";
import { servedKind } from "../../observe/served.ts";
import type { ShownWorkloads } from "../../observe/shown-workloads.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Taken } from "../reading.ts";
import type { Observation, Observe } from "./observe.ts";

/**
 * Observes a workload as the watch showed it, if a roll or the first applied state follows. Their PATCH depends on the resourceVersion:
 * it is refused if the workload has changed since, and everything is decided again on a read. A result without a write is not concluded
 * this way, nor anything after a write whose outcome is unknown.
 */
export async function observeShown(
  observe: Observe,
  shown: ShownWorkloads | undefined,
  settings: Settings,
  { request, delivery, cluster }: Taken,
): Promise<Observation | undefined> {
  const { purpose, isDoubtful } = delivery;
  if (isDoubtful || (purpose !== "change" && purpose !== "adoption")) return undefined;
  const kind = servedKind(request.workload.kind, settings);
  const live = kind && shown?.take(request.cluster, request.workload, kind);
  if (live === undefined) return undefined;
  const observation = await observe(request, delivery, cluster, live);
  if (typeof observation === "string" || !("planned" in observation)) return undefined;
  return leadsToWrite(observation, settings) ? observation : undefined;
}

function leadsToWrite({ reading, planned, eligibility }: Observation, settings: Settings): boolean {
  const { appliedText, delivery, interest } = reading;
  if (planned.type === "record") return appliedText === undefined && planned.applied !== undefined;
  const mayRoll =
    delivery.purpose === "change" || windowOf(interest.optIn.overrides, settings).quietPeriodMs === 0;
  return mayRoll && isActedOn(eligibility, settings);
}
