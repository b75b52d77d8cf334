import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/fields/notify-fields";

/** The dashboard needs these keys to tell whether a content is the recorded one. */
const { markKeyFile, markKeySecret } = workerFields;

/** Accepts every flag that watchers and workers both accept, even if it has no effect here: one set of flags serves all processes of a hub. */
export const dashboardConfig = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...webhookModeFields,
  ...freezeFields,
  ...brakeFields,
  ...historyFields,
  ...dashboardFields,
  markKeyFile,
  markKeySecret,
} as const;
