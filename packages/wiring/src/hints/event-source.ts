import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { type EventSourceMode, eventSources } from "@fleet-reloader/runtime/audit/hint-fields";

/** On a registration: how the changes of its cluster are noticed. */
const eventSourceLabel = "fleet-reloader.io/event-source";

/** How a cluster's changes are noticed: by the label of its registration, else by the flag. A label with another word is ignored. */
export function eventSourceOf(labels: Labels, otherwise: EventSourceMode): EventSourceMode {
  return eventSources.find((source) => source === labels[eventSourceLabel]) ?? otherwise;
}
