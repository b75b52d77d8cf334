import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";

export const workerConfig = { ...connectionFields, ...ruleFields, ...workerFields } as const;
