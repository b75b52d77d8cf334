import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Product } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { startSharedFleet } from "./shared-fleet.ts";

const runFile = promisify(execFile);
const commandLine = fileURLToPath(new URL("../../../services/cli/dist/main.mjs", import.meta.url));

/** What a command answers. The simulated clusters are of this process, so it is not waited for in one go. */
async function commandAnswer(words: readonly string[]): Promise<object> {
  const { stdout } = await runFile(process.execPath, [commandLine, ...words, "-o", "json"]);
  return JSON.parse(stdout);
}

/** Where the page of a dashboard is. */
async function pageOf(dashboard: Product): Promise<string> {
  await dashboard.healthUrl();
  return String(dashboard.log.find(({ msg }) => msg === "dashboard started")?.page);
}

/** Two questions are not asked at one moment. */
function withoutTimes(answer: object): object {
  const { time: _, ...rest } = { time: "", ...answer };
  if (!("queue" in rest)) return rest;
  return { ...rest, queue: { ...Object(rest.queue), oldestMs: undefined } };
}

test("a hub's page answers about Redis and clusters what the command line answers", async () => {
  await using redis = await startRedis();
  const args = ["--debounce", "300ms"];
  await using fleet = await startSharedFleet({ clusters: 2, redisUrl: redis.url, args });
  const [watcher, worker, dashboard] = [fleet.watcher(), fleet.worker(), fleet.dashboard()];
  for (const product of [watcher, worker, dashboard]) await product.ready();
  for (const { at } of fleet.clusters) await at.change("ConfigMap", "settings", { v: "1" });
  for (const { at } of fleet.clusters) await at.settlesAt("Deployment", "api", 1);
  const page = await pageOf(dashboard);
  const ofRedis = ["--redis-url", redis.url];
  const questions = [
    ...["status", "clusters", "changes", "held"].map((name) => ({ words: [name, ...ofRedis], path: name })),
    ...fleet.clusters.flatMap((cluster) => {
      const { namespace } = cluster.at;
      const where = ["-n", namespace, ...fleet.placesOf(cluster), ...ofRedis];
      return [
        {
          words: ["explain", "Deployment/api", ...where],
          path: `workloads/${cluster.name}/Deployment/${namespace}/api`,
        },
        {
          words: ["plan", "ConfigMap/settings", ...where],
          path: `sources/${cluster.api.uid}/ConfigMap/${namespace}/settings`,
        },
      ];
    }),
  ];
  for (const { words, path } of questions)
    await until(`${path} has the answer of the command line`, async () => {
      const [answered, shown] = [await commandAnswer(words), await fetch(`${page}api/v1/${path}`)];
      expect(shown.status).toBe(200);
      expect(withoutTimes(Object(await shown.json()))).toMatchObject(withoutTimes(answered));
      return true;
    });
  for (const path of ["", "page.js", "page.css", "queues", "history"])
    await until(`${path} is answered`, async () => (await fetch(`${page}${path}`)).status === 200);
  expect(await dashboard.stop()).toBe(0);
});

test("a dashboard without Redis says since when, and answers once Redis is there", async () => {
  await using redis = await startRedis();
  await redis.kill();
  await using fleet = await startSharedFleet({ clusters: 1, redisUrl: redis.url });
  const dashboard = fleet.dashboard();
  const page = await pageOf(dashboard);
  expect((await fetch(page)).status).toBe(200);
  const away = await fetch(`${page}api/v1/status`);
  expect([away.status, await away.json()]).toEqual([
    503,
    expect.objectContaining({ problem: expect.stringContaining(", away since ") }),
  ]);
  const health = await dashboard.healthUrl();
  expect((await fetch(`${health}/live`)).status).toBe(200);
  expect(await (await fetch(`${health}/ready`)).text()).toContain(", away since ");
  await redis.restart();
  await dashboard.ready();
  await fleet.watcher().inSync();
  await until("the cluster is shown", async () => {
    expect(await (await fetch(`${page}api/v1/clusters`)).json()).toMatchObject({ count: 1 });
    return true;
  });
  expect(await dashboard.stop()).toBe(0);
});
