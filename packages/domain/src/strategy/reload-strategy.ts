/** How a workload is rolled: by an annotation on its pod template, or by a variable in one of its containers. */
export type ReloadStrategy = (typeof reloadStrategies)[number];

/** Closed list, as written in settings and annotations. */
export const reloadStrategies = ["annotations", "env-vars"] as const;

/** Whether a text names a strategy. */
export function isReloadStrategy(text: string): text is ReloadStrategy {
  return reloadStrategies.some((strategy) => strategy === text);
}
