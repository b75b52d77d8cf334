import {
  auditFields,
  connectionFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/fields/notify-fields";

/** The keys of the marks are needed only with --webhook-url. */
const { markKeyFile, markKeySecret } = workerFields;

export const watcherConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...webhookModeFields,
  ...scalingFields,
  ...auditFields,
  ...freezeFields,
  ...historyFields,
  markKeyFile,
  markKeySecret,
} as const;
