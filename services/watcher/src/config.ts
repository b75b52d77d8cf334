import { connectionFields, ruleFields } from "@fleet-reloader/runtime/config/fields";

export const watcherConfig = { ...connectionFields, ...ruleFields } as const;
