import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import type { RunningService } from "@fleet-reloader/runtime/process/lifecycle";
import { startDashboard } from "@fleet-reloader/wiring/process/start-dashboard";
import { dashboardConfig } from "./config.ts";

/** The dashboard as a separate process, beside separate watchers and workers. */
export async function startHubDashboard(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader dashboard", dashboardConfig, sources);
  return await startDashboard({ shape: dashboardConfig, config, sources });
}
