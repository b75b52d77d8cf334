import { createServer, type RequestListener } from "node:http";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { followConfigMaps } from "../fixture/followed-collection.ts";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { createKubeClusterApi } from "../objects/kube-cluster-api.ts";
import { Connection } from "./connection.ts";

const signal = new AbortController().signal;
const deployment = { kind: "Deployment", namespace: "ns", name: "web" };
const secret = { kind: "Secret", namespace: "ns", name: "tls" } as const;

/** A server with this answer in the place of the API server. */
async function startServer(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const access = { clusterName: "c", userName: "u", url: `http://127.0.0.1:${port}`, token: "t" };
  return {
    kubeconfig: renderKubeconfig(access),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server that answers every request the same way. */
async function startStranger(status: number, body: string) {
  const server = await startServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  const { kubeconfig } = server;
  const connection = new Connection({ target: targetOf(kubeconfig), clock: systemClock, userAgent: "test" });
  return {
    kubeconfig,
    api: createKubeClusterApi("c1", connection, knownKinds),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

// For example a login page of a proxy, a load balancer's own 404, or another application behind the same address.
describe("JSON that is not the API server's", () => {
  test.each([
    [200, "{}"],
    [200, "null"],
    [200, '{"status":"login required"}'],
    [200, '{"metadata":{"name":"other","namespace":"ns"}}'],
    [404, '{"error":"no backend"}'],
  ])("answered with %d %s is neither an absence nor an empty object", async (status, body) => {
    await using stranger = await startStranger(status, body);
    const malformed = { code: "kube.malformed", class: "transient" };
    await expect(stranger.api.readSource(secret, signal)).rejects.toMatchObject(malformed);
    await expect(stranger.api.readWorkload(deployment, signal)).rejects.toMatchObject(malformed);
    await expect(stranger.api.listSourceNames("Secret", "ns", signal)).rejects.toMatchObject(malformed);
    await expect(stranger.api.readNamespaceLabels("ns", signal)).rejects.toMatchObject(malformed);
    const vault = { kind: "SecretProviderClass", namespace: "ns", name: "vault" } as const;
    await expect(stranger.api.readSource(vault, signal)).rejects.toMatchObject(malformed);
    const patch = { resourceVersion: "1", annotations: {} };
    await expect(stranger.api.patchWorkload(deployment, patch, signal)).rejects.toMatchObject(malformed);
  });

  test.each(["{}", '{"items":[]}', '{"kind":"List","metadata":{},"items":[]}'])(
    "that reads %s is no list without objects",
    async (body) => {
      await using stranger = await startStranger(200, body);
      await using followed = followConfigMaps(stranger.kubeconfig);
      await until(
        "it tries again",
        () => followed.states.filter((state) => /^backoff/.test(state)).length > 1,
      );
      expect(followed.lists).toBe(0);
    },
  );

  test("a status of the API server that says not found is an absence", async () => {
    const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
    await using stranger = await startStranger(404, JSON.stringify(status));
    expect(await stranger.api.readSource(secret, signal)).toBeUndefined();
    expect(await stranger.api.readWorkload(deployment, signal)).toBeUndefined();
  });
});

const object = { metadata: { namespace: "ns", name: "a", resourceVersion: "2" } };
const event = `${JSON.stringify({ type: "ADDED", object })}\n`;

// Lists are the most expensive requests: a server that spoils each watch would otherwise cause only lists.
test.each([
  ["a line that cannot be read", `${event}garbage\n`],
  ["an expired version", `${event}${JSON.stringify({ type: "ERROR", object: { code: 410 } })}\n`],
  ["half a line", `${event}{"type":`],
])("watches that end with %s after an event lead to lists with a pause before each", async (_what, lines) => {
  await using server = await startServer((request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const list = { kind: "List", metadata: { resourceVersion: "1" }, items: [] };
    response.end(request.url?.includes("watch=") === true ? lines : JSON.stringify(list));
  });
  await using followed = followConfigMaps(server.kubeconfig);
  const of = (state: string) => followed.states.filter((one) => one.startsWith(state)).length;
  await until("it is listed again and again", () => of("listing") >= 5);
  expect(of("backoff")).toBeGreaterThanOrEqual(of("listing") - 1);
});
