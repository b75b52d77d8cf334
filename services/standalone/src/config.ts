import { brakeFields } from "@fleet-reloader/runtime/config/brake-fields";
import {
  connectionFields,
  dashboardFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/history-fields";
import { notifyFields } from "@fleet-reloader/runtime/config/notify-fields";

export const standaloneConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...freezeFields,
  ...brakeFields,
  ...notifyFields,
  ...historyFields,
  ...dashboardFields,
  ...scalingFields,
} as const;
