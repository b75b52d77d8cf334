import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SimCluster, startSimCluster } from "./cluster.ts";

const configMap = (name: string, value = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
  data: { value },
});

const deployment = (name: string, mark?: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "shop" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, ...(mark === undefined ? {} : { annotations: { mark } }) },
      spec: { containers: [{ name: "main", image: "main:1" }] },
    },
  },
});

let cluster: SimCluster;

beforeEach(async () => {
  cluster = await startSimCluster({ rolloutMs: 5, tooLargeWaitMs: 10 });
});

afterEach(() => cluster[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown, token = cluster.token): Promise<Response> {
  const contentType = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
  return fetch(cluster.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": contentType },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

const isReady = (name: string) => {
  const status = cluster.get("Deployment", "shop", name)?.status;
  return JSON.stringify(status ?? {}).includes("NewReplicaSetAvailable");
};

describe("write log", () => {
  test("tells who wrote what, and whether it made a difference", async () => {
    cluster.apply(deployment("web"));
    await until(() => isReady("web"));
    cluster.resetCounters();
    const mark = { spec: { template: { metadata: { annotations: { mark: "1" } } } } };
    const path = "/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=reloader";
    for (let time = 0; time < 2; time += 1) expect((await send("PATCH", path, mark)).status).toBe(200);
    const ours = cluster.writes.filter((write) => write.fieldManager === "reloader");
    expect(ours).toMatchObject([
      { verb: "patch", kind: "Deployment", user: "admin", changed: true, templateChanged: true },
      { changed: false, templateChanged: false },
    ]);
    expect(cluster.templateChanges("Deployment", "shop", "web")).toBe(1);
    expect(cluster.requestCount("patch", "deployments").requests).toBe(2);
    expect(cluster.requestCount("patch", "deployments").responseBytes).toBeGreaterThan(1_000);
  });

  test("controllers write as kube-controller-manager", async () => {
    cluster.apply(deployment("web"));
    await until(() => isReady("web"));
    const managers = new Set(cluster.writes.map((write) => write.fieldManager));
    expect(managers).toEqual(new Set(["test", "kube-controller-manager"]));
  });
});

describe("rollouts", () => {
  test("one that is stalled hangs until it is released", async () => {
    cluster.apply(deployment("web"));
    await until(() => isReady("web"));
    // Ready at once: what is not ready when the controller has looked hangs.
    cluster.setRolloutMs(0);
    cluster.stallRollout("Deployment", "shop", "web");
    cluster.apply(deployment("web", "2"));
    await until(() => cluster.list("ReplicaSet", "shop").length === 2);
    await until(() =>
      JSON.stringify(cluster.get("Deployment", "shop", "web")).includes('"observedGeneration":2'),
    );
    expect(isReady("web")).toBe(false);
    cluster.releaseRollout("Deployment", "shop", "web");
    await until(() => isReady("web"));
  });
});

describe("faults", () => {
  test("failNext answers, resets, and loses replies", async () => {
    cluster.apply(configMap("a"));
    const path = "/api/v1/namespaces/shop/configmaps";
    cluster.failNext({ verb: "get", resource: "configmaps", name: "a", status: 429, retryAfter: 7 });
    const throttled = await send("GET", `${path}/a`);
    expect([throttled.status, throttled.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await send("GET", `${path}/a`)).status).toBe(200);
    cluster.failNext({ verb: "*", resource: "*", status: "reset" });
    await expect(send("GET", `${path}/a`)).rejects.toThrow();
    cluster.failNext({ verb: "create", resource: "configmaps", status: "reset", after: true });
    await expect(send("POST", path, configMap("b"))).rejects.toThrow();
    expect(cluster.get("ConfigMap", "shop", "b")).toBeDefined();
  });

  test("an outage keeps address and state", async () => {
    cluster.apply(configMap("a"));
    const { url } = cluster;
    await cluster.stop();
    await expect(send("GET", "/readyz")).rejects.toThrow();
    cluster.apply(configMap("a", "2"));
    await cluster.start();
    expect(cluster.url).toBe(url);
    const response = await send("GET", "/api/v1/namespaces/shop/configmaps/a");
    expect(await response.json()).toMatchObject({ data: { value: "2" } });
  });

  test("a rewind brings objects and versions of then back", async () => {
    cluster.apply(configMap("kept", "old"));
    cluster.apply(configMap("deleted"));
    const then = cluster.resourceVersion;
    cluster.apply(configMap("kept", "new"));
    cluster.remove("ConfigMap", "shop", "deleted");
    cluster.apply(configMap("late"));
    cluster.rewind(then);
    expect(cluster.resourceVersion).toBe(then);
    expect(cluster.list("ConfigMap").map(({ metadata }) => metadata.name)).toEqual(["deleted", "kept"]);
    expect(cluster.get("ConfigMap", "shop", "kept")?.data).toEqual({ value: "old" });
    expect(Number(cluster.apply(configMap("again")).metadata.resourceVersion)).toBe(Number(then) + 1);
  });

  test("latency is added by verb", async () => {
    cluster.latency.list = 60;
    const start = performance.now();
    await send("GET", "/api/v1/configmaps");
    expect(performance.now() - start).toBeGreaterThanOrEqual(59);
  });
});

describe("users", () => {
  test("rules hold per namespace and change at run time", async () => {
    cluster.apply(configMap("a"));
    const rule = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"], namespaces: ["shop"] };
    const token = cluster.addUser("reader", [rule]);
    const statusOf = async (path: string) => (await send("GET", path, undefined, token)).status;
    expect(await statusOf("/api/v1/namespaces/shop/configmaps")).toBe(200);
    expect(await statusOf("/api/v1/configmaps")).toBe(403);
    expect(await statusOf("/api/v1/namespaces/shop/secrets")).toBe(403);
    cluster.setRules("reader", []);
    expect(await statusOf("/api/v1/namespaces/shop/configmaps")).toBe(403);
    cluster.removeUser("reader");
    expect(await statusOf("/api/v1/namespaces/shop/configmaps")).toBe(401);
  });
});

describe("custom resources", () => {
  test("know merge patches only", async () => {
    await using rollouts = await startSimCluster({
      customResources: [{ group: "argoproj.io", version: "v1alpha1", kind: "Rollout", plural: "rollouts" }],
    });
    rollouts.apply({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Rollout",
      metadata: { name: "r" },
      spec: { free: 1 },
    });
    const patch = (contentType: string) =>
      fetch(`${rollouts.url}/apis/argoproj.io/v1alpha1/namespaces/default/rollouts/r`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${rollouts.token}`, "content-type": contentType },
        body: JSON.stringify({ spec: { template: { metadata: { annotations: { mark: "1" } } } } }),
      });
    expect((await patch("application/strategic-merge-patch+json")).status).toBe(415);
    expect((await patch("application/merge-patch+json")).status).toBe(200);
    expect(rollouts.templateChanges("Rollout", "default", "r")).toBe(1);
  });
});
