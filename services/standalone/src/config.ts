import {
  connectionFields,
  dashboardFields,
  ruleFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";

export const standaloneConfig = {
  ...connectionFields,
  ...ruleFields,
  ...workerFields,
  ...dashboardFields,
} as const;
