import { dashboardConfig } from "@fleet-reloader/dashboard-service/config";
import { watcherConfig } from "@fleet-reloader/watcher/config";
import { workerConfig } from "@fleet-reloader/worker/config";
import { expect, test } from "vitest";

test("flags that watchers and workers both take, the dashboard of a hub takes too", () => {
  const shared = Object.keys(watcherConfig).filter((field) => field in workerConfig);
  expect(shared.length).toBeGreaterThan(30);
  expect(shared.filter((field) => !(field in dashboardConfig))).toEqual([]);
});
