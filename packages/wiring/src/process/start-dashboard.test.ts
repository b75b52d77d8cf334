import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "@fleet-reloader/domain/json";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { askAs } from "@fleet-reloader/testkit/ask-as";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { startDashboard } from "./start-dashboard.ts";

const shape = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...webhookModeFields,
  ...freezeFields,
  ...brakeFields,
  ...historyFields,
  ...dashboardFields,
} as const;

const registrationLabels = { "sigs.k8s.io/multicluster-runtime-kubeconfig": "true" };
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "shop", name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "web:1" }] },
    },
  },
};
const aboutWeb = "/workloads/nova/Deployment/shop/web";

/** A Redis of a fleet, a hub with the registered clusters nova and otech62, and a way to start a dashboard. */
async function startRegisteredWorld() {
  const redis = await startRedis();
  const [hub, nova, otech62] = await Promise.all(
    ["hub", "nova", "otech62"].map((name) => startSimCluster({ name, controllers: false })),
  );
  if (hub === undefined || nova === undefined || otech62 === undefined) throw new Error("no clusters");
  nova.apply(web);
  const register = (name: string, kubeconfig: string) =>
    hub.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "clusters", labels: registrationLabels },
      data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
    });
  register("nova", nova.kubeconfig());
  register("otech62", otech62.kubeconfig());
  const dataDir = mkdtempSync(join(tmpdir(), "fr-dashboard-"));
  writeFileSync(join(dataDir, "hub"), hub.kubeconfig());
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const keys = new Keys("fleet-reloader");
  await guardShards({ client, keys });
  const listed = { labels: {}, status: { state: "Ready", why: [] } } as const;
  await new RedisClusterList({ client, keys }).put([
    { name: "nova", id: nova.uid, ...listed },
    { name: "otech62", id: otech62.uid, ...listed },
  ]);
  // Nobody writes the list again here.
  await client.connection.persist(keys.fleet.clusters);
  return {
    redis,
    client,
    hub,
    nova,
    otech62,
    register,
    async start(...flags: readonly string[]) {
      const args = [
        ...["--listen-address", "127.0.0.1:0", "--dashboard-address", "127.0.0.1:0", "--log-level", "error"],
        ...["--data-dir", dataDir, "--redis-url", redis.url, "--kubeconfig", join(dataDir, "hub")],
        ...["--cluster-secrets", "multicluster-runtime=clusters", "--allow-loopback-http", ...flags],
      ];
      const sources = { args, env: {} };
      const running = await startDashboard({ shape, config: loadConfig(shape, sources), sources });
      const { ports } = running;
      return {
        async ask(path: string) {
          const whole = { port: ports.dashboard, path: `/api/v1${path}`, headers: {} };
          const { status, body } = await askAs(whole);
          return { status, json: parseJson(body) };
        },
        ready: () => askAs({ port: ports.health, path: "/ready", headers: {} }),
        metrics: () => askAs({ port: ports.health, path: "/metrics", headers: {} }),
        [Symbol.asyncDispose]: () => running.stop(),
      };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      for (const each of [hub, nova, otech62, redis]) await each[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}

test("a cluster is connected to when somebody asks about it, and is only read", async () => {
  await using world = await startRegisteredWorld();
  const { hub, nova, otech62 } = world;
  const before = [hub, nova, otech62].map(({ resourceVersion }) => resourceVersion);
  await using dashboard = await world.start();
  const { ask, ready } = dashboard;
  expect((await ready()).status).toBe(200);
  expect((await ask("/clusters")).json).toMatchObject({ count: 2 });
  expect([hub.requests.size, nova.requests.size, otech62.requests.size]).toEqual([0, 0, 0]);
  expect(await ask(aboutWeb)).toMatchObject({ status: 200, json: { cluster: "nova" } });
  expect(await ask(`/sources/${nova.uid}/Secret/shop/db`)).toMatchObject({ status: 404 });
  expect(otech62.requests.size).toBe(0);
  expect([hub, nova, otech62].map(({ resourceVersion }) => resourceVersion)).toEqual(before);
});

test("a cluster that cannot be asked is refused with field, value and mend", async () => {
  await using world = await startRegisteredWorld();
  await using dashboard = await world.start();
  const { ask } = dashboard;
  expect(await ask("/workloads/novva/Deployment/shop/web")).toEqual({
    status: 404,
    json: {
      code: "question.invalid",
      field: "cluster",
      value: "novva",
      problem: "cluster: no cluster is called novva",
      mend: "did you mean nova?",
    },
  });
  world.register("otech62", "users: [");
  expect(await ask("/workloads/otech62/Deployment/shop/web")).toMatchObject({
    status: 404,
    json: { field: "cluster", value: "otech62", problem: expect.stringContaining("is unusable") },
  });
  await world.nova.stop();
  expect(await ask(aboutWeb)).toMatchObject({ status: 503, json: { code: "kube.unreachable" } });
  await world.nova.start();
  await until("it is tried again", async () => (await ask(aboutWeb)).status === 200);
});

test("while Redis is away it says since when, and goes on when Redis is back", async () => {
  await using world = await startRegisteredWorld();
  await using dashboard = await world.start();
  await world.redis.kill();
  await until("the loss is seen", async () => (await dashboard.ready()).status === 503);
  const since = /^redis: \w+, away since \d{4}-\d\d-\d\dT[\d:.]+Z/;
  expect((await dashboard.ready()).body).toMatch(since);
  expect(await dashboard.ask("/status")).toMatchObject({
    status: 503,
    json: { code: "redis.unavailable", problem: expect.stringMatching(since) },
  });
  await world.redis.restart();
  await until("it is ready again", async () => (await dashboard.ready()).status === 200);
  expect(await dashboard.ask("/held")).toMatchObject({ status: 200, json: { count: 0 } });
});

test("while Redis hangs it says since when, also to a question under way", async () => {
  await using world = await startRegisteredWorld();
  await using dashboard = await world.start();
  world.redis.signal("SIGSTOP");
  const since = /^redis: unanswered, away since \d{4}-\d\d-\d\dT[\d:.]+Z/;
  expect(await dashboard.ask("/status")).toMatchObject({
    status: 503,
    json: { code: "redis.unavailable", problem: expect.stringMatching(since) },
  });
  const { body, status } = await dashboard.ready();
  expect({ body, status }).toEqual({ body: expect.stringMatching(since), status: 503 });
  world.redis.signal("SIGCONT");
  await until("it is ready again", async () => (await dashboard.ready()).status === 200);
  expect(await dashboard.ask("/held")).toMatchObject({ status: 200, json: { count: 0 } });
});

test("it ends while a connection to a cluster waits for a Redis that hangs", async () => {
  await using world = await startRegisteredWorld();
  const dashboard = await world.start();
  world.redis.signal("SIGSTOP");
  // The question is refused. The attempt to connect still waits, since it would serve the next question.
  expect(await dashboard.ask(aboutWeb)).toMatchObject({ status: 503, json: { code: "redis.unavailable" } });
  await expect(dashboard[Symbol.asyncDispose]()).resolves.toBeUndefined();
});

test("it notes what Redis denies, and stays ready", async () => {
  await using world = await startRegisteredWorld();
  await using dashboard = await world.start();
  expect((await dashboard.ready()).body).toBe("ready\n");
  await world.client.connection.acl("SETUSER", "default", "-get");
  expect(await dashboard.ask("/clusters")).toMatchObject({ json: { code: "redis.unsuitable" } });
  const { body, status } = await dashboard.ready();
  expect(status).toBe(200);
  expect(body).toContain("note: redis: the user default may not run GET");
});

test("its metrics claim nothing of what watchers and workers measure", async () => {
  await using world = await startRegisteredWorld();
  await using dashboard = await world.start();
  const { body } = await dashboard.metrics();
  expect(body).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(body).not.toContain("reloader");
});

test("a Redis for other shards is refused, and nothing is noted in an unused one", async () => {
  await using world = await startRegisteredWorld();
  await expect(world.start("--shards", "3")).rejects.toThrow("--shards 3: this Redis is laid out for 1");
  await world.client.connection.flushall();
  await using _ = await world.start("--shards", "3");
  const left = await world.client.connection.keys("*");
  expect(left.filter((key) => !key.endsWith(":reconcile:meta"))).toEqual([]);
});
