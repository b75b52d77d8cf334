import { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
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

/** Only --webhook-url needs the keys of the marks. */
const { markKeyFile, markKeySecret } = workerFields;

export const watcherConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...webhookModeFields,
  ...scalingFields,
  ...auditFields,
  ...hintFields,
  ...freezeFields,
  ...historyFields,
  markKeyFile,
  markKeySecret,
} as const;
