import { brakeFields } from "@fleet-reloader/runtime/config/brake-fields";
import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/history-fields";
import { notifyFields } from "@fleet-reloader/runtime/config/notify-fields";

export const workerConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...freezeFields,
  ...brakeFields,
  ...notifyFields,
  ...historyFields,
} as const;
