import { createServer } from "node:http";
import { writtenBy } from "@fleet-reloader/domain/evidence/managed-fields";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { applyEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { describe, expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection, type ConnectionOptions } from "../http/connection.ts";
import { createKubeClusterApi } from "./kube-cluster-api.ts";

const signal = new AbortController().signal;
const ref = { kind: "Deployment", namespace: "shop", name: "web" };

const deployment = (env: readonly object[] = []) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", annotations: { stays: "1", goes: "1" } },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "main:1", env }] },
    },
  },
});

interface Ways extends Pick<ConnectionOptions, "limit"> {
  readonly sourceSelector?: string;
}

function connect(kubeconfig: string, { sourceSelector, limit }: Ways = {}) {
  const target = targetOf(kubeconfig);
  const connection = new Connection({ target, clock: systemClock, userAgent: "test", limit });
  return {
    api: createKubeClusterApi("c1", connection, knownKinds, sourceSelector),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function startWorld(ways: Ways = {}) {
  const cluster = await startSimCluster({ controllers: false });
  const { api, ...connection } = connect(cluster.kubeconfig(), ways);
  return {
    cluster,
    api,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe("reads", () => {
  test("what is not there is no fault", async () => {
    await using world = await startWorld();
    expect(await world.api.readWorkload(ref, signal)).toBeUndefined();
    const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
    expect(await world.api.readSource(source, signal)).toBeUndefined();
    const patch = { resourceVersion: "1", annotations: {} };
    expect(await world.api.patchWorkload(ref, patch, signal)).toBeUndefined();
  });

  test("annotations of a source as they are now, and none of one that is gone", async () => {
    await using world = await startWorld();
    const metadata = { name: "db", namespace: "shop", annotations: { a: "b" } };
    world.cluster.apply({ apiVersion: "v1", kind: "Secret", metadata });
    const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
    expect(await world.api.readSourceAnnotations(source, signal)).toEqual({ a: "b" });
    expect(await world.api.readSourceAnnotations({ ...source, name: "gone" }, signal)).toEqual({});
  });

  test("annotations of a workload as they are now, and none of one that is gone", async () => {
    await using world = await startWorld();
    world.cluster.apply(deployment());
    expect(await world.api.readWorkloadAnnotations(ref, signal)).toMatchObject({ stays: "1" });
    expect(await world.api.readWorkloadAnnotations({ ...ref, name: "gone" }, signal)).toEqual({});
    expect(await world.api.readWorkloadAnnotations({ ...ref, kind: "Rollout" }, signal)).toEqual({});
  });

  test("labels of a namespace, and that there is none", async () => {
    await using world = await startWorld();
    world.cluster.apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "team", labels: { a: "b" } },
    });
    expect(await world.api.readNamespaceLabels("team", signal)).toMatchObject({ a: "b" });
    expect(await world.api.readNamespaceLabels("nobody", signal)).toBeUndefined();
  });

  test("names of sources whose labels match, where that is asked for", async () => {
    await using world = await startWorld({ sourceSelector: "a=b" });
    for (const [name, labels] of [["x", { a: "b" }] as const, ["y", { a: "c" }] as const])
      world.cluster.apply({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: "shop", labels },
      });
    expect(await world.api.listSourceNames("Secret", "shop", signal)).toEqual(["x"]);
  });

  test("many sources in one list, page by page, without those that were not asked for", async () => {
    await using world = await startWorld();
    const names = Array.from({ length: 230 }, (_, at) => `s${at}`);
    for (const name of names)
      world.cluster.apply({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: "shop" },
        data: { name: btoa(name) },
      });
    const asked = new Set([...names.slice(1), "missing"]);
    const found = await world.api.readSources("Secret", "shop", asked, signal);
    expect([...found.keys()].sort()).toEqual(names.slice(1).sort());
    const read = await world.api.readSource({ kind: "Secret", namespace: "shop", name: "s229" }, signal);
    expect(found.get("s229")).toEqual(read);
  });

  test("names of sources, without their content", async () => {
    await using world = await startWorld();
    for (const name of ["b", "a"])
      world.cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "shop" } });
    expect(await world.api.listSourceNames("Secret", "shop", signal)).toEqual(["a", "b"]);
  });

  test("no names of Secrets that no watch shows, as those of Helm", async () => {
    await using world = await startWorld();
    const secret = { apiVersion: "v1", kind: "Secret", data: { release: btoa("x") } };
    world.cluster.apply({ ...secret, metadata: { name: "x", namespace: "shop" } });
    world.cluster.apply({
      ...secret,
      type: "helm.sh/release.v1",
      metadata: { name: "y", namespace: "shop" },
    });
    expect(await world.api.listSourceNames("Secret", "shop", signal)).toEqual(["x"]);
    const y = { kind: "Secret", namespace: "shop", name: "y" } as const;
    expect(await world.api.readSource(y, signal)).toMatchObject({ ref: y, content: undefined });
  });

  test("names of very many sources page by page, with the labels asked for on each", async () => {
    await using world = await startWorld({ sourceSelector: "a=b" });
    const names = Array.from({ length: 1001 }, (_, at) => `s${at}`);
    for (const name of [...names, "x"]) {
      const metadata = { name, namespace: "shop", labels: { a: name === "x" ? "c" : "b" } };
      world.cluster.apply({ apiVersion: "v1", kind: "Secret", metadata });
    }
    const listed = await world.api.listSourceNames("Secret", "shop", signal);
    expect([...listed].sort()).toEqual(names.sort());
    expect(world.cluster.requestCount("list", "secrets").requests).toBe(3);
  });
});

describe("a patch", () => {
  test("that was forbidden while it waited for its turn is not sent", async () => {
    await using cluster = await startSimCluster({ controllers: false });
    cluster.apply(deployment());
    await using connected = connect(cluster.kubeconfig(), { limit: { qps: 20, burst: 1 } });
    const { api } = connected;
    const writes = cluster.writes.length;
    const { resourceVersion = "" } = (await api.readWorkload(ref, signal)) ?? {};
    let isFrozen = false;
    const patch = {
      resourceVersion,
      annotations: { note: "2" },
      admit: async () => (isFrozen ? ("hold" as const) : ("go" as const)),
    };
    const waiting = api.patchWorkload(ref, patch, signal);
    isFrozen = true;
    await expect(waiting).rejects.toMatchObject({ code: "kube.conflict" });
    expect(cluster.writes).toHaveLength(writes);
    isFrozen = false;
    expect((await api.patchWorkload(ref, patch, signal))?.annotations).toMatchObject({ note: "2" });
  });

  test("changes what it names and nothing else, under the peer's name", async () => {
    await using world = await startWorld();
    world.cluster.apply(deployment([{ name: "KEPT", value: "1" }]));
    const before = await world.api.readWorkload(ref, signal);
    const after = await world.api.patchWorkload(
      ref,
      {
        resourceVersion: before?.resourceVersion ?? "",
        annotations: { goes: null, note: "2" },
        template: {
          annotations: { mark: "3" },
          env: [
            { container: "main", name: "KEPT", value: "1" },
            { container: "main", name: "STAKATER_A", value: "x" },
          ],
        },
      },
      signal,
    );
    expect(after?.annotations).toEqual({ stays: "1", note: "2" });
    expect(after?.template).toMatchObject({
      metadata: { annotations: { mark: "3" } },
      spec: {
        containers: [
          {
            image: "main:1",
            env: [
              { name: "KEPT", value: "1" },
              { name: "STAKATER_A", value: "x" },
            ],
          },
        ],
      },
    });
    expect(world.cluster.writes.at(-1)).toMatchObject({ fieldManager: "Reloader", templateChanged: true });
  });

  test("takes away the variable it names, while another comes, and no other", async () => {
    await using world = await startWorld();
    const env = ["KEPT", "STAKATER_A", "LAST"].map((name) => ({ name, value: "1" }));
    world.cluster.apply(deployment(env));
    const before = await world.api.readWorkload(ref, signal);
    const template = {
      env: [{ container: "main", name: "STAKATER_B", value: "x" }],
      removedEnv: [{ container: "main", name: "STAKATER_A" }],
    };
    const patch = { resourceVersion: before?.resourceVersion ?? "", annotations: {}, template };
    const after = await world.api.patchWorkload(ref, patch, signal);
    expect(after?.template).toEqual(applyEdit(before?.template, template));
    expect(JSON.stringify(after?.template)).not.toContain("STAKATER_A");
    const only = { ...patch, template: { env: [], removedEnv: [{ container: "main", name: "STAKATER_B" }] } };
    const last = await world.api.patchWorkload(
      ref,
      { ...only, resourceVersion: after?.resourceVersion ?? "" },
      signal,
    );
    expect(last?.template).toEqual(applyEdit(after?.template, only.template));
  });

  test("of a note alone rolls nothing, and is answered with metadata", async () => {
    await using world = await startWorld();
    world.cluster.apply(deployment());
    const before = await world.api.readWorkload(ref, signal);
    const patch = { resourceVersion: before?.resourceVersion ?? "", annotations: { note: "1" } };
    const after = await world.api.patchWorkload(ref, patch, signal);
    const now = await world.api.readWorkload(ref, signal);
    const { uid, resourceVersion, generation, annotations } = now ?? {};
    expect(after).toMatchObject({ ref, uid, resourceVersion, generation, annotations });
    expect(writtenBy(fieldManager, after?.object)).toBe(writtenBy(fieldManager, now?.object));
    expect(writtenBy(fieldManager, after?.object)).toBeGreaterThan(0);
    expect(after?.object).not.toHaveProperty("spec");
    expect(now?.template).toEqual(before?.template);
    expect(world.cluster.templateChanges("Deployment", "shop", "web")).toBe(0);
  });

  test("of a workload that has moved on is a conflict", async () => {
    await using world = await startWorld();
    world.cluster.apply(deployment());
    const before = await world.api.readWorkload(ref, signal);
    world.cluster.patch("Deployment", "shop", "web", { spec: { replicas: 3 } });
    const patch = { resourceVersion: before?.resourceVersion ?? "", annotations: { note: "1" } };
    await expect(world.api.patchWorkload(ref, patch, signal)).rejects.toMatchObject({
      code: "kube.conflict",
    });
  });

  test("carries the version it is for, and variables in the order of the edit", async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      const chunks: string[] = [];
      for await (const chunk of request) chunks.push(String(chunk));
      bodies.push(`${request.headers["content-type"]} ${request.url} ${chunks.join("")}`);
      response.end(JSON.stringify(deployment()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    await using connected = connect(renderKubeconfig({ clusterName: "c", userName: "u", url, token: "t" }));
    const env = [
      { container: "b", name: "Z", value: "1" },
      { container: "a", name: "M", value: "2" },
      { container: "b", name: "A", value: "3" },
    ];
    await connected.api.patchWorkload(
      ref,
      { resourceVersion: "7", annotations: {}, template: { env } },
      signal,
    );
    server.close();
    const containers =
      '[{"name":"b","env":[{"name":"Z","value":"1"},{"name":"A","value":"3"}]},{"name":"a","env":[{"name":"M","value":"2"}]}]';
    expect(bodies).toEqual([
      "application/strategic-merge-patch+json /apis/apps/v1/namespaces/shop/deployments/web?fieldManager=Reloader " +
        `{"metadata":{"resourceVersion":"7","annotations":{}},"spec":{"template":{"spec":{"containers":${containers}}}}}`,
    ]);
  });

  test("of a kind we do not know is refused before it is sent", async () => {
    await using world = await startWorld();
    const unknown = { ...ref, kind: "ReplicaSet" };
    await expect(world.api.readWorkload(unknown, signal)).rejects.toMatchObject({ code: "request.invalid" });
  });
});
