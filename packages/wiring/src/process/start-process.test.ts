import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { reportToEach } from "@fleet-reloader/engine/ports/reporter";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
import {
  auditFields,
  connectionFields,
  ruleFields,
  scalingFields,
  workerFields,
} from "@fleet-reloader/runtime/config/fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { notifyFields, traceFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import type { DashboardParts } from "../dashboard-parts.ts";
import { openAccess } from "../open-access.ts";
import type { WatchParts } from "../watches/parts.ts";
import type { WorkParts } from "../works/parts.ts";
import { startProcess } from "./start-process.ts";

const shape = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...freezeFields,
  ...notifyFields,
  ...traceFields,
  ...historyFields,
  ...dashboardFields,
  ...scalingFields,
  ...auditFields,
  ...hintFields,
} as const;

/** Parts that only record their end. */
function recordingParts() {
  const ended: string[] = [];
  const end = (name: string) => async () => void ended.push(name);
  const run = (name: string) => (signal: AbortSignal) => untilAborted(signal).then(end(name));
  const watches: WatchParts = {
    recordLateUsers: (_options, signal) => run("late users")(signal),
    createWebhookMode: async () => ({
      createPublisher: () => () => ({
        publish: async () => [],
        remembered: async () => [],
        publishDeleted: async () => undefined,
      }),
      stop: end("webhook"),
    }),
    createWatching: () => ({
      annotationsOf: () => undefined,
      lags: new Map(),
      notReady: () => [],
      watch: (_, signal) => untilAborted(signal),
    }),
    createScaling: () => ({ work: () => Promise.reject(new Error("unused")), watchHolds: run("holds") }),
    serveAudit: async () => ({ port: 1, close: end("audit events") }),
    listenForKeda: async () => ({ port: 1, close: end("scaler") }),
    reportClusters: (_, signal) => untilAborted(signal),
    createGoneClusters: () => ({ run: (signal) => untilAborted(signal) }),
  };
  const works: WorkParts = {
    publishOnEngagement: () => () => undefined,
    openTracing: async () => ({ tracer: undefined, stop: end("traces") }),
    startReporting: () => ({ reporter: reportToEach([], new CollectedLog()), stop: end("reports") }),
    startWorking: async () => ({ broken: new Promise<never>(() => undefined), stop: end("worker") }),
  };
  const dashboard: DashboardParts = {
    openAccess,
    listen: async () => ({ port: 1, close: end("dashboard") }),
  };
  return { ended, watches, works, dashboard };
}

type Parts = Omit<ReturnType<typeof recordingParts>, "ended">;

/** A Redis and a cluster, and a way to start a process that uses both. */
async function startWorld() {
  const cluster = await startSimCluster({ controllers: false });
  const redis = await startRedis();
  const dataDir = mkdtempSync(join(tmpdir(), "fr-process-"));
  const kubeconfig = join(dataDir, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig());
  return {
    redis,
    start({ watches, works, dashboard }: Parts, ...flags: readonly string[]) {
      const listen = ["--listen-address", "127.0.0.1:0", "--log-level", "error"];
      const places = ["--kubeconfig", kubeconfig, "--data-dir", dataDir, "--redis-url", redis.url];
      const sources = { args: [...listen, ...places, ...flags], env: {} };
      const config = loadConfig(shape, sources);
      return startProcess({
        service: "standalone",
        shape,
        config,
        sources,
        watches: { parts: watches, config },
        works: { parts: works, config, limits: {} },
        dashboard: { parts: dashboard, config },
      });
    },
    async [Symbol.asyncDispose]() {
      await redis[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Resolves when only the connection of this query is left. */
async function noConnectionLeft(url: string): Promise<void> {
  const client = new RedisClient({ url }, new CollectedLog());
  try {
    await until("all other connections are closed", async () => {
      const list = String(await client.connection.client("LIST"));
      return list.trim().split("\n").length === 1;
    });
  } finally {
    await client.close();
  }
}

async function occupyPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return { address: `127.0.0.1:${address.port}`, [Symbol.dispose]: () => void server.close() };
}

test("a process that stops ends its parts in the reverse order of their start", async () => {
  await using world = await startWorld();
  const { ended, ...parts } = recordingParts();
  const service = await world.start(parts);
  await service.stop();
  expect(ended).toEqual([
    "audit events",
    "worker",
    "traces",
    "reports",
    "holds",
    "dashboard",
    "scaler",
    "webhook",
  ]);
  await noConnectionLeft(world.redis.url);
});

test("a start that fails at its last step ends everything that was started", async () => {
  await using world = await startWorld();
  const { ended, ...parts } = recordingParts();
  const startWorking = () => Promise.reject(new Error("the worker cannot start"));
  const works = { ...parts.works, startWorking };
  await expect(world.start({ ...parts, works })).rejects.toThrow("the worker cannot start");
  expect(ended).toEqual(["traces", "reports", "holds", "dashboard", "scaler", "webhook"]);
  await noConnectionLeft(world.redis.url);
});

test("a start that fails while Redis is away ends what was started", async () => {
  await using world = await startWorld();
  await world.redis.kill();
  const { ended, ...parts } = recordingParts();
  using taken = await occupyPort();
  await expect(world.start(parts, "--listen-address", taken.address)).rejects.toThrow("--listen-address");
  expect(ended).toEqual(["webhook"]);
});

// Its connections stay open.
test("a process is not ready while Redis hangs, and is again when Redis goes on", async () => {
  await using world = await startWorld();
  const { ended: _, ...parts } = recordingParts();
  const at = `127.0.0.1:${await pickFreePort()}`;
  const service = await world.start(parts, "--listen-address", at);
  const ready = async () => await (await fetch(`http://${at}/ready`)).text();
  const shown = async () => await (await fetch(`http://${at}/metrics`)).text();
  await until("it is ready", async () => (await ready()) === "ready\n");
  await until("Redis is shown as reachable", async () => (await shown()).includes("_redis_reachable 1\n"));
  world.redis.signal("SIGSTOP");
  await until("it is not ready", async () => /^redis: \w+, away since \d{4}-\d\d-\d\dT/.test(await ready()));
  await until("Redis is shown as away", async () => (await shown()).includes("_redis_reachable 0\n"));
  world.redis.signal("SIGCONT");
  await until("it is ready again", async () => (await ready()) === "ready\n");
  await service.stop();
});

test.each<[string, (parts: Parts, failure: Promise<never>) => Parts]>([
  [
    "the watch over holds ended by itself: out of memory",
    (parts, failure) => {
      const createScaling: WatchParts["createScaling"] = () => ({
        work: () => failure,
        watchHolds: () => failure,
      });
      return { ...parts, watches: { ...parts.watches, createScaling } };
    },
  ],
  [
    "the removal of gone clusters ended by itself: out of memory",
    (parts, failure) => {
      const createGoneClusters = () => ({ run: () => failure });
      return { ...parts, watches: { ...parts.watches, createGoneClusters } };
    },
  ],
  [
    "out of memory",
    (parts, broken) => {
      const startWorking = async () => ({ broken, stop: async () => undefined });
      return { ...parts, works: { ...parts.works, startWorking } };
    },
  ],
])("a part that ends before its time breaks the process: %s", async (reason, failing) => {
  await using world = await startWorld();
  const { ended: _, ...parts } = recordingParts();
  const failure = Promise.withResolvers<never>();
  const service = await world.start(failing(parts, failure.promise));
  failure.reject(new Error("out of memory"));
  await expect(service.broken).rejects.toThrow(reason);
  await service.stop();
});
