import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { declareFreeze } from "@fleet-reloader/runtime/freeze/declare-freeze";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { instanceName } from "@fleet-reloader/runtime/process/version";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import type { KnownDocuments } from "./freeze-absence.ts";
import { openFreezes, serveFreezes } from "./freezes.ts";

const none = { type: "known", freezes: [] };
const shop = { namespace: "shop", reason: "migration", by: "me" };

/** A machine with a data dir, and the names stored in Redis. */
function machine() {
  const folder = mkdtempSync(join(tmpdir(), "fr-freezes-"));
  const names = new Set<string>();
  const known: KnownDocuments = {
    isOfDataDir: false,
    has: async (name) => names.has(name),
    add: async (name) => void names.add(name),
  };
  return {
    folder,
    names,
    known,
    file: join(folder, "freezes.yaml"),
    open: (config: object = {}, remembers: KnownDocuments = known) =>
      openFreezes({
        config: {
          kubeconfig: "",
          contexts: [],
          dataDir: folder,
          freezeFile: "",
          freezeConfigmap: undefined,
          ...config,
        },
        env: {},
        userAgent: "test",
        clock: systemClock,
        known: remembers,
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

describe("a freeze file", () => {
  test("of the data dir that never was there freezes nothing", async () => {
    using at = machine();
    expect(await at.open().now()).toEqual(none);
  });

  test("that was there and is gone lifts no freeze, here and in the next process", async () => {
    using at = machine();
    const first = at.open();
    writeFileSync(at.file, "- fleet: true\n");
    expect(await first.now()).toMatchObject({ type: "known", freezes: [{ scope: {} }] });
    await until("it is remembered", () => at.names.size === 1);
    rmSync(at.file);
    const why = `${at.file}: it was there and is gone; create it again, with [] for no freezes`;
    expect(await first.now()).toEqual({ type: "unreadable", why });
    const second = at.open();
    expect(await second.now()).toEqual({ type: "unreadable", why });
    writeFileSync(at.file, "[]\n");
    expect(await second.now()).toEqual(none);
  });

  // Its data dir is on a volume, and the Redis in it remembers the file. The next pod has another name.
  test("that is gone lifts no freeze in the next pod of its data dir", async () => {
    using at = machine();
    const known = { ...at.known, isOfDataDir: true };
    writeFileSync(at.file, "- fleet: true\n");
    expect(await at.open({}, known).now()).toMatchObject({ type: "known", freezes: [{ scope: {} }] });
    await until("it is remembered", () => at.names.size > 0);
    rmSync(at.file);
    for (const name of at.names) if (name.includes(instanceName())) at.names.delete(name);
    expect(await at.open({}, known).now()).toMatchObject({
      type: "unreadable",
      why: expect.stringContaining("it was there and is gone"),
    });
  });

  // The file of one pod, with a Redis for all pods, says nothing about the data dir of another.
  test("of one pod holds nothing in another that shares its Redis", async () => {
    using at = machine();
    writeFileSync(at.file, "- fleet: true\n");
    await at.open().now();
    await until("it is remembered", () => at.names.size > 0);
    rmSync(at.file);
    for (const name of at.names) if (name.includes(instanceName())) at.names.delete(name);
    expect(await at.open().now()).toEqual(none);
  });

  test("that the configuration names has to be there", async () => {
    using at = machine();
    const named = join(at.folder, "named.yaml");
    const why = `${named}: it is not there; create it again, with [] for no freezes`;
    const asked: string[] = [];
    const known: KnownDocuments = {
      isOfDataDir: false,
      has: async (name) => asked.push(name) > 0,
      add: async (name) => void asked.push(name),
    };
    const open = () => at.open({ freezeFile: named }, known);
    expect(await open().now()).toEqual({ type: "unreadable", why });
    // Each pod of a worker would be another name in Redis, without any effect on the answer.
    writeFileSync(named, "[]\n");
    expect(await open().now()).toEqual(none);
    expect(asked).toEqual([]);
  });

  test("that was there and is gone is not made anew with a single freeze", async () => {
    using at = machine();
    writeFileSync(at.file, "- fleet: true\n");
    await at.open().now();
    await until("it is remembered", () => at.names.size === 1);
    rmSync(at.file);
    const open = at.open();
    await expect(declareFreeze(open.stores[0], shop)).rejects.toThrow("it was there and is gone");
    expect(await open.now()).toMatchObject({ type: "unreadable" });
    writeFileSync(at.file, "[]\n");
    await declareFreeze(open.stores[0], shop);
    expect(await open.now()).toMatchObject({ freezes: [{ scope: { namespace: "shop" } }] });
  });

  test("that never was is made by the first freeze, also while Redis does not answer", async () => {
    using at = machine();
    const has = () => Promise.reject(new Error("READONLY"));
    const open = at.open({}, { isOfDataDir: true, has, add: async () => undefined });
    await declareFreeze(open.stores[0], shop);
    expect(await open.now()).toMatchObject({ freezes: [{ scope: { namespace: "shop" } }] });
  });

  test("that is a link to nowhere lifts no freeze", async () => {
    using at = machine();
    mkdirSync(join(at.folder, "mounted"));
    const target = join(at.folder, "mounted", "freezes.yaml");
    symlinkSync(target, at.file);
    const freezes = at.open();
    expect(await freezes.now()).toMatchObject({
      type: "unreadable",
      why: expect.stringContaining("a link to a missing file"),
    });
    writeFileSync(target, "[]\n");
    expect(await freezes.now()).toEqual(none);
  });

  test("that is missing holds every roll while Redis does not answer", async () => {
    using at = machine();
    const add = async () => undefined;
    const silent = { isOfDataDir: true, has: () => new Promise<boolean>(() => undefined), add };
    const failing = { isOfDataDir: true, has: () => Promise.reject(new Error("READONLY")), add };
    for (const known of [silent, failing])
      expect(await at.open({}, known).now()).toMatchObject({ type: "unreadable" });
  });
});

test("a ConfigMap that is gone lifts no freeze; one that never was freezes nothing", async () => {
  using at = machine();
  await using hub = await startSimCluster({ controllers: false });
  hub.addUser("worker");
  const kubeconfig = join(at.folder, "hub.yaml");
  writeFileSync(kubeconfig, hub.kubeconfig("worker"));
  const inHub = { kubeconfig, freezeConfigmap: { namespace: "reloader", name: "freezes" } };
  const first = at.open(inHub);
  expect(await first.now()).toEqual(none);
  const metadata = { namespace: "reloader", name: "freezes" };
  hub.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "freezes.yaml": "- fleet: true" } });
  expect(await first.now()).toMatchObject({ type: "known", freezes: [{ scope: {} }] });
  await until("it is remembered", () => at.names.size === 1);
  hub.remove("ConfigMap", "reloader", "freezes");
  const second = at.open(inHub);
  for (const freezes of [first, second]) {
    expect(await freezes.now()).toEqual({
      type: "unreadable",
      why: "ConfigMap reloader/freezes: it was there and is gone; create it again, with [] under freezes.yaml for no freezes",
    });
    await freezes.close();
  }
});

test("a process without a route to a cluster does not hide it from the command line", async () => {
  using at = machine();
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const shared = { client, keys: new Keys("list"), log: new CollectedLog(), meter: new CountingMeter() };
  const list = new RedisClusterList(shared);
  const serve = (member: string, id: string | undefined) => {
    let puts = 0;
    const listed = { name: "nova", labels: {}, registration: "nova", id };
    const served = serveFreezes({
      ...shared,
      config: {
        kubeconfig: "",
        contexts: [],
        dataDir: at.folder,
        freezeFile: "",
        freezeConfigmap: undefined,
      },
      env: {},
      userAgent: "test",
      clock: { ...systemClock, sleep: (_, signal) => systemClock.sleep(10, signal) },
      member,
      fleet: {
        claimedClusters: new Set<string>(),
        get listed() {
          puts += 1;
          return [listed];
        },
      },
    });
    return { ...served, puts: () => puts };
  };
  const watcher = serve("watcher", "c1");
  await until("it is listed", async () => (await list.read()) !== undefined);
  const worker = serve("worker", undefined);
  const seen = new Set<string | undefined>();
  await until("both have listed it again and again", async () => {
    for (const { id } of (await list.read()) ?? []) seen.add(id);
    return Math.min(watcher.puts(), worker.puts()) > 20;
  });
  expect([...seen]).toEqual(["c1"]);
  await Promise.all([watcher.close(), worker.close()]);
  await client.close();
});
