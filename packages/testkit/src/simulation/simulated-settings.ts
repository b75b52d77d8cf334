import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { daemonSet, deployment, statefulSet } from "@fleet-reloader/domain/kind/pod-controller";
import { defaultSettings } from "@fleet-reloader/engine/ports/settings";

export const quietPeriodMs = 2000;
export const maxWaitMs = 30_000;

/** What the simulated product is configured with. */
export const simulatedSettings = {
  ...defaultSettings,
  workloadKinds: [deployment, daemonSet, statefulSet],
  dialect: defaultDialect,
  autoReloadAll: false,
  strategy: "annotations",
  debounce: { quietPeriodMs, maxWaitMs },
} as const;
