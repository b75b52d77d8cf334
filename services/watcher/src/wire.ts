import { RedisOwnership } from "@fleet-reloader/redis/ownership/redis-ownership";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import type { RunningService } from "@fleet-reloader/runtime/process/lifecycle";
import { startProcess } from "@fleet-reloader/wiring/process/start-process";
import { watchParts } from "@fleet-reloader/wiring/watches/parts";
import { compactOften } from "./compact-often.ts";
import { watcherConfig } from "./config.ts";

/** The watcher as a separate process. Several watchers on one Redis share the clusters. */
export async function startWatcher(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader watcher", watcherConfig, sources);
  compactOften();
  return await startProcess({
    service: "watcher",
    shape: watcherConfig,
    config,
    sources,
    watches: { parts: watchParts, config, createOwnership: (options) => new RedisOwnership(options) },
  });
}
