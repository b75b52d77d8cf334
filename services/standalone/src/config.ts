import {
  connectionFields,
  dashboardFields,
  ruleFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { notifyFields } from "@fleet-reloader/runtime/config/notify-fields";

export const standaloneConfig = {
  ...connectionFields,
  ...ruleFields,
  ...workerFields,
  ...notifyFields,
  ...dashboardFields,
} as const;
