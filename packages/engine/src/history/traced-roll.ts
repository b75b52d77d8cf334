import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { DeliveryTimes } from "../ports/workqueue.ts";
import { writeTimesMs } from "./change-stages.ts";
import type { RolledFact } from "./fact.ts";
import type { CausingSource } from "./history.ts";
import type { reportHead } from "./report-head.ts";
import type { TracedRoll } from "./tracer.ts";

/** A roll with its changes and times. If the queue gives no times, as for a repeat, the stages before it have no length. */
export function tracedRoll(
  { changed, observedSources, strategy }: Pick<RolledFact, "changed" | "observedSources" | "strategy">,
  times: DeliveryTimes | undefined,
  {
    head,
    causes,
  }: { readonly head: ReturnType<typeof reportHead>; readonly causes: readonly CausingSource[] },
): TracedRoll {
  const { cluster, clusterName, workload, atMs: rolledAtMs } = head;
  const { seenAtMs, takenAtMs } = times ?? { seenAtMs: rolledAtMs, takenAtMs: rolledAtMs };
  const written = writeTimesMs(changed, observedSources);
  const changes = causes.map((source) => ({ source, writtenAtMs: written.get(sourceKey(source)) }));
  return { cluster, clusterName, workload, rolledAtMs, seenAtMs, takenAtMs, strategy, changes };
}
