import { rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import type { RunningService } from "@fleet-reloader/runtime/process/lifecycle";
import { startProcess } from "@fleet-reloader/wiring/process/start-process";
import { workParts } from "@fleet-reloader/wiring/works/parts";
import { workerConfig } from "./config.ts";

/** The worker as a separate process. Any number of workers may run on one Redis. */
export async function startWorker(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader worker", workerConfig, sources);
  return await startProcess({
    service: "worker",
    shape: workerConfig,
    config,
    sources,
    works: { parts: workParts, config, limits: rollLimitsOf(config) },
  });
}
