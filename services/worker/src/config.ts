import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { notifyFields } from "@fleet-reloader/runtime/config/notify-fields";

export const workerConfig = { ...connectionFields, ...ruleFields, ...workerFields, ...notifyFields } as const;
