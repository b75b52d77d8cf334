import {
  connectionFields,
  dashboardFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fleet-fields";
import { historyFields } from "@fleet-reloader/runtime/config/history-fields";
import { notifyFields } from "@fleet-reloader/runtime/config/notify-fields";

export const standaloneConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...notifyFields,
  ...historyFields,
  ...dashboardFields,
  ...scalingFields,
} as const;
