import { createServer } from "node:http";
import { startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { type FollowedCollection, followConfigMaps } from "../fixture/followed-collection.ts";

const configMap = (name: string, value = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
  data: { value },
});

const versionOf = (cluster: SimCluster, name: string) =>
  cluster.get("ConfigMap", "shop", name)?.metadata.resourceVersion;

const inSync = (followed: FollowedCollection) => until("the stream is in sync", () => followed.isInSync);

const seen = (followed: FollowedCollection, cluster: SimCluster, name: string) =>
  until(`${name} is seen`, () => {
    const version = versionOf(cluster, name);
    return version !== undefined && followed.view.get(`shop/${name}`) === version;
  });

const startCluster = () => startSimCluster({ controllers: false });

/** A cluster behind a proxy with one ConfigMap, followed and in sync. */
async function startFollowed(how: Parameters<typeof followConfigMaps>[1] = {}) {
  const cluster = await startCluster();
  const proxy = await startFaultProxy({ target: cluster.url });
  cluster.apply(configMap("first"));
  const followed = followConfigMaps(proxy.kubeconfig("sim", cluster.token), how);
  await inSync(followed);
  await until("the watch is open", () => proxy.openStreams > 0);
  return {
    cluster,
    proxy,
    followed,
    async [Symbol.asyncDispose]() {
      await followed[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe("a collection", () => {
  test("is listed in pages before anything else", async () => {
    await using cluster = await startCluster();
    for (let each = 0; each < 1100; each += 1) cluster.apply(configMap(`c${each}`));
    await using followed = followConfigMaps(cluster.kubeconfig());
    await inSync(followed);
    expect(followed.view.size).toBe(1100);
    expect(cluster.requestCount("list", "configmaps").requests).toBe(3);
    expect(followed.states).toEqual(["listing: start", "watching: in sync"]);
  });

  test("is followed: what is made, changed and deleted", async () => {
    await using world = await startFollowed();
    const { cluster, followed } = world;
    cluster.apply(configMap("new"));
    await seen(followed, cluster, "new");
    cluster.apply(configMap("new", "2"));
    await seen(followed, cluster, "new");
    cluster.remove("ConfigMap", "shop", "new");
    await until("the deletion is seen", () => !followed.view.has("shop/new"));
    expect(followed.lists).toBe(1);
  });

  test("a list that fails half-way begins anew", async () => {
    await using cluster = await startCluster();
    await using proxy = await startFaultProxy({ target: cluster.url });
    for (let each = 0; each < 600; each += 1) cluster.apply(configMap(`c${each}`));
    proxy.answer({ status: 410, path: "continue=" });
    await using followed = followConfigMaps(proxy.kubeconfig("sim", cluster.token));
    await inSync(followed);
    expect(followed.view.size).toBe(600);
    expect(followed.states.filter((state) => state.startsWith("listing"))).toHaveLength(2);
  });
});

describe("a watch that ends", () => {
  test("in good order is opened again from where it was, without a list", async () => {
    await using world = await startFollowed();
    const { cluster, followed, proxy } = world;
    cluster.apply(configMap("first", "2"));
    await seen(followed, cluster, "first");
    cluster.endWatches();
    cluster.apply(configMap("meanwhile"));
    await seen(followed, cluster, "meanwhile");
    expect(followed.lists).toBe(1);
    expect(proxy.openStreams).toBe(1);
  });

  test("because it was reset loses nothing", async () => {
    await using world = await startFollowed();
    const { cluster, followed, proxy } = world;
    proxy.resetConnections();
    cluster.apply(configMap("meanwhile"));
    await seen(followed, cluster, "meanwhile");
    expect(followed.lists).toBe(1);
  });

  test("by an event that says expired leads to a list", async () => {
    await using world = await startFollowed();
    const { cluster, followed, proxy } = world;
    proxy.injectLine(
      JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, message: "too old" } }),
    );
    await until("everything is listed again", () => followed.lists === 2);
    cluster.apply(configMap("afterwards"));
    await seen(followed, cluster, "afterwards");
    expect(followed.states).toContain("listing: the watch expired: too old");
  });

  test("by an answer that says expired leads to a list", async () => {
    await using world = await startFollowed();
    const { followed, proxy } = world;
    proxy.answer({ status: 410, isWatch: true });
    proxy.cutStreams();
    await until("everything is listed again", () => followed.lists === 2);
  });

  test("by history that is gone finds what it missed, deletions too", async () => {
    await using world = await startFollowed();
    const { cluster, followed, proxy } = world;
    proxy.refuse();
    proxy.resetConnections();
    cluster.remove("ConfigMap", "shop", "first");
    cluster.apply(configMap("second"));
    proxy.heal();
    proxy.answer({ status: 410, isWatch: true });
    await seen(followed, cluster, "second");
    await until("the deletion is found", () => !followed.view.has("shop/first"));
  });

  test("by a line that cannot be read leads to a list", async () => {
    await using world = await startFollowed();
    const { followed, proxy } = world;
    proxy.injectLine('{"type":"MODIFIED","object":{"kin');
    await until("everything is listed again", () => followed.lists === 2);
  });

  test("by silence is opened again without a word", async () => {
    await using world = await startFollowed({ streamSilenceMs: 100 });
    const { cluster, followed } = world;
    const watches = () => cluster.requestCount("watch", "configmaps").requests;
    await until("the watch is opened again", () => watches() >= 3);
    cluster.apply(configMap("afterwards"));
    await seen(followed, cluster, "afterwards");
    expect(followed.lists).toBe(1);
  });

  test("by silence although the server has long written is caught up with", async () => {
    await using world = await startFollowed({ streamSilenceMs: 200 });
    const { cluster, followed, proxy } = world;
    proxy.halfOpen();
    cluster.apply(configMap("unheard"));
    proxy.heal();
    await seen(followed, cluster, "unheard");
  });
});

describe("watches of which each one fails", () => {
  test.each([
    ["the periodic comparison goes on", { relistEveryMs: 50 }],
    ["what they do not deliver is looked for", { silentMs: 50 }],
  ])("do not keep changes from being seen: %s", async (_what, timings) => {
    await using world = await startFollowed({ timings });
    const { cluster, followed, proxy } = world;
    // As from a proxy in between that does not support streams.
    proxy.answer({ status: 504, isWatch: true, count: 1e6 });
    proxy.cutStreams();
    cluster.apply(configMap("meanwhile"));
    await seen(followed, cluster, "meanwhile");
    cluster.apply(configMap("later"));
    await seen(followed, cluster, "later");
  });

  test("do not count as in sync before one is answered", async () => {
    await using world = await startFollowed();
    const { followed, proxy } = world;
    const fromCut = followed.states.length;
    proxy.answer({ status: 503, isWatch: true, count: 1e6 });
    proxy.cutStreams();
    await until("several have failed", () => followed.states.length > fromCut + 3);
    expect(followed.states.slice(fromCut).filter((state) => !state.startsWith("backoff"))).toEqual([]);
    proxy.heal();
    await inSync(followed);
    expect(followed.lists).toBe(1);
  });
});

describe("a server that misbehaves", () => {
  test("and asks for a pause gets it", async () => {
    await using cluster = await startCluster();
    cluster.failNext({ verb: "list", resource: "configmaps", status: 429, retryAfter: 1 });
    const start = performance.now();
    await using followed = followConfigMaps(cluster.kubeconfig());
    await inSync(followed);
    expect(performance.now() - start).toBeGreaterThanOrEqual(1000);
  });

  test("and fails some requests is asked again after a back-off", async () => {
    await using cluster = await startCluster();
    cluster.apply(configMap("first"));
    cluster.failNext({ verb: "list", resource: "configmaps", status: 500, count: 2 });
    cluster.failNext({ verb: "watch", resource: "configmaps", status: 503 });
    await using followed = followConfigMaps(cluster.kubeconfig());
    await until("the watch is open", () => cluster.openWatches === 1);
    expect(followed.states.filter((state) => state.startsWith("backoff"))).toHaveLength(3);
    expect(followed.view.size).toBe(1);
    expect(followed.lists).toBe(1);
  });

  test("and was restored from a backup is found out by the revision probe", async () => {
    await using world = await startFollowed({ probeEveryMs: 50 });
    const { cluster, followed } = world;
    const backup = cluster.resourceVersion;
    for (let each = 0; each < 5; each += 1) cluster.apply(configMap("lost", String(each)));
    await seen(followed, cluster, "lost");
    cluster.rewind(backup);
    await until("the loss is seen", () => !followed.view.has("shop/lost"));
    expect(followed.states).toContain("listing: the server's revision went back");
  });

  test("is probed again after a probe that failed", async () => {
    await using world = await startFollowed({ probeEveryMs: 50 });
    const { cluster, followed, proxy } = world;
    const backup = cluster.resourceVersion;
    for (let each = 0; each < 5; each += 1) cluster.apply(configMap("lost", String(each)));
    await seen(followed, cluster, "lost");
    proxy.answer({ status: 500, count: 3, path: /limit=1$/ });
    cluster.rewind(backup);
    await until("the loss is seen", () => !followed.view.has("shop/lost"));
  });

  test("and gives no rights blocks the stream until they are granted", async () => {
    await using cluster = await startCluster();
    cluster.apply(configMap("first"));
    cluster.addUser("reader", []);
    await using followed = followConfigMaps(cluster.kubeconfig("reader"));
    await until("the stream is blocked", () => followed.states.some((state) => state.startsWith("blocked")));
    expect(followed.view.size).toBe(0);
    cluster.setRules("reader", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }]);
    await seen(followed, cluster, "first");
  });

  test.each([
    ["an expired watch", `${JSON.stringify({ type: "ERROR", object: { code: 410 } })}\n`],
    ["half a line", '{"type":"ADD'],
    ["an unreadable line", "?\n"],
    ["nothing", ""],
  ])("and answers every watch with %s is not asked without a pause", async (_what, body) => {
    let lists = 0;
    const server = createServer((request, response) => {
      if (request.url?.includes("watch=1") === true) return response.end(body);
      lists += 1;
      return response.end('{"metadata":{"resourceVersion":"5"},"items":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const access = { clusterName: "c", userName: "u", url: `http://127.0.0.1:${port}`, token: "t" };
    await using followed = followConfigMaps(renderKubeconfig(access));
    await until("it pauses", () => followed.states.filter((state) => state.startsWith("backoff")).length > 2);
    if (body !== "") expect(lists).toBeGreaterThan(1);
    server.close();
  });
});

describe("a handler that fails", () => {
  test("is given the same events again", async () => {
    await using world = await startFollowed();
    const { cluster, followed } = world;
    followed.failHandler(2);
    cluster.apply(configMap("second"));
    await seen(followed, cluster, "second");
    expect(followed.events.map(({ object }) => object.ref.name)).toEqual(["second"]);
    expect(followed.states.filter((state) => state === "backoff: the queue is down")).toHaveLength(2);
  });

  test("while it is listed to is listed to again", async () => {
    await using cluster = await startCluster();
    cluster.apply(configMap("first"));
    await using followed = followConfigMaps(cluster.kubeconfig());
    followed.failHandler(2);
    await seen(followed, cluster, "first");
    expect(followed.lists).toBe(1);
  });
});
