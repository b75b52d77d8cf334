import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { notifyFields, traceFields } from "@fleet-reloader/runtime/config/fields/notify-fields";

export const workerConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...freezeFields,
  ...brakeFields,
  ...notifyFields,
  ...traceFields,
  ...historyFields,
} as const;
