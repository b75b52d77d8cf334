import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { openKeyring, openRedisUrl } from "./made-secrets.ts";

async function startHub() {
  const cluster = await startSimCluster({ name: "hub", controllers: false });
  const dataDir = mkdtempSync(join(tmpdir(), "fr-secrets-"));
  const kubeconfig = join(dataDir, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig());
  const log = new CollectedLog();
  const listenAddress = { host: "127.0.0.1", port: 0 };
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms / 100, signal);
  const config = {
    kubeconfig,
    dataDir,
    listenAddress,
    contexts: [],
    markKeyFile: "",
    redisUrl: "redis://valkey:6379",
    markKeySecret: { namespace: "default", name: "marks", key: "mark.key" },
    redisPasswordSecret: { namespace: "default", name: "valkey", key: "password" },
  };
  const options = { config, env: {}, clock: { ...systemClock, sleep }, log, metrics: async () => "" };
  return {
    cluster,
    log,
    options,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

test("every process of an install has the same keys and the same password", async () => {
  await using hub = await startHub();
  const rings = await Promise.all([1, 2, 3].map(() => openKeyring(hub.options)));
  expect(new Set(rings.map(({ current }) => current.keyId)).size).toBe(1);
  const urls = await Promise.all([1, 2, 3].map(() => openRedisUrl(hub.options)));
  expect(new Set(urls).size).toBe(1);
  expect(urls[0]).toMatch(/^redis:\/\/:[0-9a-f]{48}@valkey:6379$/);
});

test("the user in the address of Redis stays there beside the password", async () => {
  await using hub = await startHub();
  const { config } = hub.options;
  const redisUrl = "redis://watcher@valkey:6379/2";
  const url = await openRedisUrl({ ...hub.options, config: { ...config, redisUrl } });
  expect(url).toMatch(/^redis:\/\/watcher:[0-9a-f]{48}@valkey:6379\/2$/);
});

test("no key is made while the API server is away", async () => {
  await using hub = await startHub();
  await hub.cluster.stop();
  const opening = openKeyring(hub.options);
  await until("it says why it waits", () => hub.log.messages("error").length > 0);
  expect(hub.log.messages("error")).toEqual([
    expect.stringMatching(/^--mark-key-secret default\/marks: cannot reach .*; trying again$/),
  ]);
  await hub.cluster.start();
  const { current } = await opening;
  expect((await openKeyring(hub.options)).current.keyId).toBe(current.keyId);
});

test("two sources of one key, or of one password, are refused", async () => {
  await using hub = await startHub();
  const { config } = hub.options;
  const refused = { code: "config.invalid" };
  await expect(
    openKeyring({ ...hub.options, config: { ...config, markKeyFile: "/keys" } }),
  ).rejects.toMatchObject(refused);
  await expect(
    openRedisUrl({ ...hub.options, config: { ...config, redisUrl: "redis://:password@valkey" } }),
  ).rejects.toMatchObject(refused);
});

test("a process that only reads waits for a Secret that another one makes", async () => {
  await using hub = await startHub();
  const opening = openRedisUrl({ ...hub.options, onlyReads: true });
  await until("it says what it waits for", () => hub.log.messages("error").length > 0);
  expect(hub.log.messages("error")).toEqual([
    "--redis-password-secret default/valkey: there is no such Secret yet; a watcher or a worker makes it; trying again",
  ]);
  const made = await openRedisUrl(hub.options);
  expect(await opening).toBe(made);
  expect(hub.cluster.requestCount("create", "secrets").requests).toBe(1);
});
