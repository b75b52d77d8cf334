import { defaultSettings, type Settings } from "@fleet-reloader/engine/ports/settings";
import type { ConfigOf } from "./field.ts";
import { dialectOf } from "./fields/annotation-fields.ts";
import { servedKinds } from "./fields/kind-fields.ts";
import { scopeSettings } from "./fields/scope-fields.ts";
import type { ruleFields } from "./fields.ts";

/** The part of the configuration that the rules need. */
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
    reloadConcurrent: config.reloadConcurrent,
  };
}
