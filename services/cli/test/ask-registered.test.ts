import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { afterAll, beforeEach, expect, test } from "vitest";
import { canary, startAskedWorld } from "./fixture/asked-world.ts";
import { commandRun } from "./fixture/command-run.ts";

const world = await startAskedWorld();
const hub = await startSimCluster({ name: "hub", controllers: false });
const other = await startSimCluster({ name: "other", controllers: false });
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const cluster of [hub, other]) cluster.resetCounters();
});

const hubFile = join(world.dataDir, "hub");
writeFileSync(hubFile, hub.kubeconfig());

function register(name: string, namespace: string, labels: object, content: Record<string, string>) {
  const data = Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  hub.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace, labels }, data });
}

const ofTool = { "sigs.k8s.io/multicluster-runtime-kubeconfig": "true", env: "prod" };
register("nova", "clusters", ofTool, { kubeconfig: world.cluster.kubeconfig() });
register("other", "clusters", ofTool, { kubeconfig: other.kubeconfig() });
register("broken", "clusters", ofTool, { kubeconfig: "users: [" });
const argoLabels = { "argocd.argoproj.io/secret-type": "cluster" };
const { token, url } = world.cluster;
register("cluster-1", "argocd", argoLabels, {
  name: "by-argocd",
  server: url,
  namespaces: "shop,web",
  config: JSON.stringify({ bearerToken: token }),
});

/** Asks about the clusters of one folder, on a machine whose home has a kubeconfig of another cluster. */
function askFolder(folder: string, clusters: Readonly<Record<string, string>>) {
  const directory = join(world.dataDir, folder);
  mkdirSync(directory);
  for (const [name, text] of Object.entries(clusters)) writeFileSync(join(directory, `${name}.yaml`), text);
  const home = join(world.dataDir, `home-of-${folder}`);
  mkdirSync(join(home, ".kube"), { recursive: true });
  writeFileSync(join(home, ".kube/config"), hub.kubeconfig());
  const places = [
    "--kubeconfig-dir",
    directory,
    "--data-dir",
    world.dataDir,
    "--mark-key-file",
    world.keyFile,
  ];
  return commandRun([...explainApi, ...places, "--allow-loopback-http"], { env: { HOME: home } });
}

/** Asks with the flags of a hub's services. */
function ask(...words: readonly string[]) {
  const places = ["--kubeconfig", hubFile, "--data-dir", world.dataDir, "--mark-key-file", world.keyFile];
  const providers = ["--cluster-secrets", "multicluster-runtime=clusters", "--argocd-clusters"];
  return commandRun([...words, ...places, ...providers, "--allow-loopback-http"]);
}

const explainApi = ["explain", "Deployment/api", "-n", "shop"] as const;

test("explain answers for a registered cluster as for one of a kubeconfig", async () => {
  const asked = await ask(...explainApi, "--cluster", "nova");
  expect(asked).toEqual(await world.ask(...explainApi));
  expect(asked.code).toBe(0);
});

test("plan answers for registered clusters, one line of JSON for each", async () => {
  const words = ["plan", "Secret/db", "-n", "shop", "--cluster", "nova", "--cluster", "other"];
  const { code, output } = await ask(...words, "-o", "json");
  const plans = output.trim().split("\n");
  expect(code).toBe(0);
  expect(plans.map((line) => JSON.parse(line))).toMatchObject([
    { cluster: "nova", state: "present" },
    { cluster: "other", state: "missing" },
  ]);
});

test("only the asked cluster is connected to, and only its credentials are read", async () => {
  const before = [hub, world.cluster].map(({ resourceVersion }) => resourceVersion);
  expect(await ask(...explainApi, "--cluster", "nova")).toMatchObject({ code: 0, errors: "" });
  expect(other.requestCount("get", "namespaces").requests).toBe(0);
  expect(hub.requestCount("get", "secrets").requests).toBe(1);
  expect([hub, world.cluster].map(({ resourceVersion }) => resourceVersion)).toEqual(before);
});

test("a cluster of Argo CD is asked in the namespaces that its Secret lists", async () => {
  const { code, output } = await ask(...explainApi, "--cluster", "by-argocd");
  expect({ code, first: output.split("\n")[0] }).toEqual({
    code: 0,
    first: "Deployment/api in namespace shop of cluster by-argocd",
  });
  const refused = await ask("explain", "Deployment/api", "-n", "pay", "--cluster", "by-argocd");
  expect(refused).toEqual({
    code: 78,
    output: "",
    errors:
      "--namespace pay: the registration of cluster by-argocd shows only shop, web; ask about one of these\n",
  });
});

async function startListedFleet() {
  const redis = await startRedis();
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const keys = new Keys("fleet-reloader");
  await guardShards({ client, keys });
  return { redis, client, list: new RedisClusterList({ client, keys }) };
}

test("a cluster is asked by the id that the services know it by", async () => {
  const { client, list, redis: started } = await startListedFleet();
  await using redis = started;
  await list.put([{ name: "nova", labels: {}, id: world.cluster.uid, status: undefined }]);
  const asked = await ask(...explainApi, "--cluster", world.cluster.uid, "--redis-url", redis.url);
  expect(asked).toMatchObject({ code: 0, errors: "" });
  expect(asked.output).toContain("Deployment/api in namespace shop of cluster nova\n");
  await list.put([{ name: "nova", labels: {}, id: "uid-before", status: undefined }]);
  const moved = await ask(...explainApi, "--cluster", "uid-before", "--redis-url", redis.url);
  expect(moved).toMatchObject({ code: 78, output: "" });
  expect(moved.errors).toContain("--cluster uid-before: its registration leads to another cluster now");
  await client.close();
});

test("an answer about a cluster that the services do not know says so", async () => {
  const { client, list, redis: started } = await startListedFleet();
  await using redis = started;
  const place = ["--redis-url", redis.url];
  expect(await world.ask(...explainApi, ...place)).toMatchObject({ code: 0, errors: "" });
  await list.put([{ name: "other", labels: {}, id: "uid-other", status: undefined }]);
  const asked = await world.ask(...explainApi, ...place, "-o", "json");
  expect(asked).toMatchObject({ code: 0, output: expect.stringContaining('"verdict"') });
  expect(asked.errors).toMatch(
    /^warning: the services with this Redis do not know the cluster nova, .*--context/,
  );
  const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["deployments", "secrets", "pods"] }];
  world.cluster.addUser("of the shop", rules);
  const narrow = join(world.dataDir, "narrow");
  writeFileSync(narrow, world.cluster.kubeconfig("of the shop"));
  const places = ["--kubeconfig", narrow, "--data-dir", world.dataDir, "--mark-key-file", world.keyFile];
  const { errors } = await commandRun([...explainApi, ...places, ...place]);
  expect(errors).toContain("the right to get the namespace kube-system tells which cluster it is");
  await client.close();
});

test("a cluster that is registered twice is asked as the registration that serves it", async () => {
  const { client, list, redis: started } = await startListedFleet();
  await using redis = started;
  const id = world.cluster.uid;
  await list.put([
    { name: "another", labels: {}, id, status: { state: "Alias", why: [] } },
    { name: "nova", labels: { env: "prod" }, id, status: { state: "Ready", why: [] } },
  ]);
  const freezes = join(world.dataDir, "freezes-by-label.yaml");
  writeFileSync(freezes, "- clusterSelector: env=prod\n");
  const places = ["--redis-url", redis.url, "--freeze-file", freezes];
  for (const asked of [
    await world.ask(...explainApi, ...places),
    await ask(...explainApi, ...places, "--cluster", id),
  ]) {
    expect(asked).toMatchObject({ code: 0, errors: "" });
    expect(asked.output).toMatch(/of cluster nova\n\n.*Frozen/);
  }
  await client.close();
});

test.each([
  ["Nova", "no such cluster is registered; did you mean nova?"],
  ["by-argo", "no such cluster is registered; did you mean by-argocd?"],
  ["elsewhere", "no such cluster is registered; name its registration, for example with --cluster-secrets"],
  ["broken", "its registration is unusable: Secret clusters/broken, key kubeconfig: it is no YAML"],
])("the cluster %s is refused with value and mend", async (name, why) => {
  const { code, output, errors } = await ask(...explainApi, "--cluster", name);
  expect({ code, output }).toEqual({ code: 78, output: "" });
  expect(errors).toContain(`--cluster ${name}: ${why}`);
});

test("the only cluster of a folder is asked when none is named", async () => {
  const asked = await askFolder("one", { nova: world.cluster.kubeconfig() });
  expect(asked).toEqual(await world.ask(...explainApi));
});

test("a question names the clusters of a folder with several, or that it has none", async () => {
  const several = Object.fromEntries(
    ["a", "b", "c", "d", "e", "f"].map((name) => [name, other.kubeconfig()]),
  );
  expect(await askFolder("several", several)).toEqual({
    code: 78,
    output: "",
    errors: `--cluster: it is missing, and --kubeconfig-dir ${join(world.dataDir, "several")} has 6 clusters; write one or more of a, b, c, d, e and 1 more\n`,
  });
  expect(await askFolder("empty", {})).toEqual({
    code: 78,
    output: "",
    errors: `--kubeconfig-dir ${join(world.dataDir, "empty")}: it has no kubeconfig; put one there, or name one with --kubeconfig\n`,
  });
});

test("no answer holds a credential of a registration or the content of a Secret", async () => {
  for (const words of [
    [...explainApi, "--cluster", "nova"],
    [...explainApi, "--cluster", "broken"],
    ["plan", "Secret/db", "-n", "shop", "--cluster", "by-argocd"],
  ]) {
    const { output, errors } = await ask(...words);
    for (const secret of [canary, token, readFileSync(world.keyFile, "utf8").trim()])
      expect(output + errors).not.toContain(secret);
  }
});
