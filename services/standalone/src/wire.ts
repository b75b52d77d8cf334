import { EmbeddedServer } from "@fleet-reloader/redis/connection/embedded-server";
import { rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import type { RunningService } from "@fleet-reloader/runtime/process/lifecycle";
import { dashboardParts } from "@fleet-reloader/wiring/dashboard-parts";
import { startProcess } from "@fleet-reloader/wiring/process/start-process";
import { watchParts } from "@fleet-reloader/wiring/watches/parts";
import { workParts } from "@fleet-reloader/wiring/works/parts";
import { standaloneConfig } from "./config.ts";

/** Watcher, worker, dashboard and an embedded Redis in one process. */
export async function startStandalone(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader", standaloneConfig, sources);
  return await startProcess({
    service: "standalone",
    shape: standaloneConfig,
    config,
    sources,
    embeddedRedis: EmbeddedServer.start,
    watches: { parts: watchParts, config },
    works: { parts: workParts, config, limits: rollLimitsOf(config) },
    dashboard: { parts: dashboardParts, config },
  });
}
