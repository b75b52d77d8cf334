import {
  auditFields,
  connectionFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/history-fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/notify-fields";

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
