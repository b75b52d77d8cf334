import { defaultSettings, type Settings } from "@fleet-reloader/engine/settings";
import { dialectOf } from "./config/annotation-fields.ts";
import type { ConfigOf } from "./config/field.ts";
import type { ruleFields } from "./config/fields.ts";
import { servedKinds } from "./config/kind-fields.ts";
import { scopeSettings } from "./config/scope-fields.ts";

/** What the rules need of the configuration. */
export function settingsOf(config: ConfigOf<typeof ruleFields>): Settings {
  return {
    ...defaultSettings,
    dialect: dialectOf(config),
    autoReloadAll: config.autoReloadAll,
    strategy: config.reloadStrategy,
    debounce: { quietPeriodMs: config.debounce, maxWaitMs: Math.max(config.debounce, config.maxWait) },
    ...scopeSettings(config),
    workloadKinds: servedKinds(config),
    reloadSuspended: config.reloadSuspended,
    reloadFinished: config.reloadFinished,
  };
}
