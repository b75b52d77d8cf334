import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { type EventSourceMode, eventSources } from "@fleet-reloader/runtime/audit/hint-fields";

/** On a registration: how the changes of its cluster are noticed. */
const eventSourceLabel = "fleet-reloader.io/event-source";

/** How the changes of a cluster are noticed: what its registration says, else the flag. A label that is none of these words says nothing. */
export function eventSourceOf(labels: Labels, otherwise: EventSourceMode): EventSourceMode {
  return eventSources.find((source) => source === labels[eventSourceLabel]) ?? otherwise;
}
