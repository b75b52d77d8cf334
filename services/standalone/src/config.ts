import { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
import { auditFields, scalingFields } from "@fleet-reloader/runtime/config/fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { workerConfig } from "@fleet-reloader/worker/config";

/** The fields of a worker, and those that only a watcher or the dashboard has. */
export const standaloneConfig = {
  ...workerConfig,
  ...dashboardFields,
  ...scalingFields,
  ...auditFields,
  ...hintFields,
} as const;
