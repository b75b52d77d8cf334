import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/notify-fields";

/** The keys of the marks are needed only with --webhook-url. */
const { markKeyFile } = workerFields;

export const watcherConfig = {
  ...connectionFields,
  ...ruleFields,
  ...webhookModeFields,
  markKeyFile,
} as const;
