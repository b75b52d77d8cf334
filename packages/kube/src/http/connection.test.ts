import { inspect } from "node:util";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { describe, expect, test } from "vitest";
import { connectTo } from "../fixture/answering-server.ts";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "./connection.ts";

const { signal } = new AbortController();

describe("a call", () => {
  test("says who we are, and keeps the path that stands before the API", async () => {
    await using world = await connectTo(
      (request, response) => {
        const { authorization, "user-agent": agent, accept } = request.headers;
        response.end(JSON.stringify({ url: request.url, authorization, agent, accept }));
      },
      { prefix: "/k8s/clusters/c-1/" },
    );
    expect((await world.get()).body).toEqual({
      url: "/k8s/clusters/c-1/version",
      authorization: "Bearer hunter2",
      agent: "us/1",
      accept: "application/json",
    });
  });

  test("that is answered with no JSON is a fault, not an empty answer", async () => {
    await using world = await connectTo((_request, response) => response.end("<html>Sign in</html>"));
    await expect(world.get()).rejects.toMatchObject({ code: "kube.malformed" });
  });

  test.each([
    ["3", 3000],
    ["999999999", 600_000],
    ["soon", undefined],
    ["-1", undefined],
  ])("is asked to wait %s seconds: %s ms", async (header, ms) => {
    await using world = await connectTo((_request, response) =>
      response.writeHead(429, { "retry-after": header }).end(),
    );
    await expect(world.get()).rejects.toMatchObject({ code: "kube.throttled", retryAfterMs: ms });
  });

  test("never has the token in its fault", async () => {
    await using world = await connectTo((_request, response) => response.writeHead(401).end());
    const fault: unknown = await world.get().catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: "kube.unauthorized" });
    expect(JSON.stringify(fault) + String(fault)).not.toContain("hunter2");
  });

  test("that is stopped is no failure of the server", async () => {
    await using world = await connectTo(() => undefined);
    const call = world.connection.call({ method: "GET", path: "/" }, AbortSignal.timeout(20));
    await expect(call).rejects.toMatchObject({ code: "engine.aborted" });
  });
});

test("a connection that is closed stays closed", async () => {
  let asked = 0;
  await using world = await connectTo((_request, response) => {
    asked += 1;
    response.end("{}");
  });
  await world.get();
  await world.connection.close();
  await expect(world.get()).rejects.toMatchObject({ code: "engine.aborted" });
  const stream = world.connection.stream({ method: "GET", path: "/watch" }, signal);
  await expect(stream.next()).rejects.toMatchObject({ code: "engine.aborted" });
  expect(asked).toBe(1);
});

test("a stream that is refused is not asked for again with the same credentials", async () => {
  let asked = 0;
  await using world = await connectTo((_request, response) => {
    asked += 1;
    response.writeHead(401).end("{}");
  });
  const stream = world.connection.stream({ method: "GET", path: "/watch" }, signal);
  await expect(stream.next()).rejects.toMatchObject({ code: "kube.unauthorized" });
  expect(asked).toBe(1);
});

test("a refusal of a stream that does not end is a refusal all the same", async () => {
  await using world = await connectTo((_request, response) => {
    response.writeHead(403);
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(64 * 1024, "x"), more);
    };
    more();
  });
  const stream = world.connection.stream({ method: "GET", path: "/watch" }, signal);
  await expect(stream.next()).rejects.toMatchObject({ code: "kube.forbidden" });
});

test("an unusable proxy is reported without its password, and raises no suspicion", async () => {
  const kubeconfig = renderKubeconfig({
    clusterName: "c",
    userName: "u",
    url: "http://127.0.0.1:1",
    token: "t",
  });
  const target = { ...targetOf(kubeconfig), proxyUrl: "ftp://me:hunter2@proxy" };
  const connection = new Connection({ target, clock: systemClock, userAgent: "us/1" });
  let disturbed = 0;
  connection.guard({
    verify: async () => undefined,
    disturbed: () => {
      disturbed += 1;
    },
  });
  const fault = await connection.call({ method: "GET", path: "/" }, signal).catch((error: unknown) => error);
  expect(fault).toMatchObject({
    code: "kube.unreachable",
    message: expect.stringContaining("check its proxy-url"),
  });
  expect(inspect(fault)).not.toContain("hunter2");
  await expect(connection.stream({ method: "GET", path: "/" }, signal).next()).rejects.toMatchObject({
    code: "kube.unreachable",
  });
  expect(disturbed).toBe(0);
  await connection.close();
});
