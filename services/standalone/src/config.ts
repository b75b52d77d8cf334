import { auditFields, scalingFields } from "@fleet-reloader/runtime/config/fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { workerConfig } from "@fleet-reloader/worker/config";

/** A watcher needs nothing that a worker does not, but for the scaling of workers and for audits. */
export const standaloneConfig = {
  ...workerConfig,
  ...dashboardFields,
  ...scalingFields,
  ...auditFields,
} as const;
