import { Fault } from "@fleet-reloader/domain/fault";
import type { Admit } from "@fleet-reloader/engine/ports/cluster-api";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { connectTo } from "../fixture/answering-server.ts";
import { targetOf } from "../fixture/targets-of.ts";
import type { Connection } from "./connection.ts";

const { signal } = new AbortController();

describe("whether a call is admitted is asked last", () => {
  const forbidden = new Fault("kube.conflict", "frozen");
  /** A call that is sent unless it is forbidden by then. */
  const write = (connection: Connection, isForbidden: () => boolean) => {
    const admit = async () => {
      if (isForbidden()) throw forbidden;
      return "go" as const;
    };
    return connection.call({ method: "PATCH", path: "/web", body: "{}", admit }, signal);
  };

  test("after the wait for a connection, which goes to the call that asked first", async () => {
    const held: (() => void)[] = [];
    const asked: string[] = [];
    await using world = await connectTo(
      (request, response) => {
        asked.push(`${request.method}`);
        held.push(() => response.end("{}"));
      },
      { callConnections: 2 },
    );
    const reads = [world.get(), world.get()];
    await until("both are in use", () => held.length === 2);
    let isForbidden = false;
    const waiting = write(world.connection, () => isForbidden);
    const behind = world.get();
    waiting.catch(() => undefined);
    await settled();
    isForbidden = true;
    held[0]?.();
    await expect(waiting).rejects.toBe(forbidden);
    await until("the next has its turn", () => held.length === 3);
    for (const answer of held) answer();
    await Promise.all([...reads, behind]);
    expect(asked).toEqual(["GET", "GET", "GET"]);
  });

  test("and a call on hold is not sent", async () => {
    let asked = 0;
    await using world = await connectTo((_request, response) => {
      asked += 1;
      response.end("{}");
    });
    const admit: Admit = async () => "hold";
    const call = { method: "PATCH", path: "/web", admit } as const;
    await expect(world.connection.call(call, signal)).rejects.toMatchObject({ code: "kube.conflict" });
    expect(asked).toBe(0);
  });

  test("again before it is sent for the second time, with other credentials", async () => {
    let isForbidden = false;
    let asked = 0;
    await using world = await connectTo((_request, response) => {
      asked += 1;
      isForbidden = true;
      world.connection.use(other);
      response.writeHead(401).end();
    });
    const { server: url } = world.target;
    const other = targetOf(renderKubeconfig({ clusterName: "c", userName: "u", url, token: "hunter3" }));
    await expect(write(world.connection, () => isForbidden)).rejects.toBe(forbidden);
    expect(asked).toBe(1);
  });

  test("and once more when the address became another meanwhile, where it goes then", async () => {
    await using second = await connectTo((_request, response) => response.end('{"is":"second"}'));
    await using first = await connectTo((_request, response) => response.end('{"is":"first"}'));
    let asked = 0;
    const admit: Admit = async () => {
      asked += 1;
      if (asked > 1) return "go";
      first.connection.use(second.target);
      // Uses new connections: the old ones are closed.
      await first.get();
      return "go";
    };
    const answer = await first.connection.call({ method: "PATCH", path: "/web", admit }, signal);
    expect(answer.body).toEqual({ is: "second" });
    expect(asked).toBe(2);
  });
});

test("a call that got no connection is reported as certainly not sent", async () => {
  const clock = new ManualClock();
  const asked: (string | undefined)[] = [];
  await using world = await connectTo((request) => void asked.push(request.url), {
    clock,
    callConnections: 1,
  });
  const hung = world.get();
  await until("it is in use", () => asked.length === 1);
  const waiting = world.connection.call({ method: "PATCH", path: "/web" }, signal);
  hung.catch(() => undefined);
  waiting.catch(() => undefined);
  await clock.advance(10_250);
  await expect(hung).rejects.toMatchObject({ code: "kube.timeout" });
  await expect(waiting).rejects.toMatchObject({ code: "kube.unreachable" });
  expect(asked).toEqual(["/version"]);
});

// A cluster that answers one call after the other is healthy: there are too many calls.
test("a call without a connection while the server answers others is our own overload", async () => {
  const clock = new ManualClock();
  const held: (() => void)[] = [];
  const asked: (string | undefined)[] = [];
  await using world = await connectTo(
    (request, response) => {
      asked.push(request.url);
      held.push(() => response.end("{}"));
    },
    { clock, callConnections: 1 },
  );
  const first = world.get();
  await until("it is in use", () => held.length === 1);
  const second = world.get();
  const waiting = world.connection.call({ method: "PATCH", path: "/web" }, signal);
  for (const one of [second, waiting]) one.catch(() => undefined);
  await clock.advance(5000);
  held[0]?.();
  await first;
  await until("the next has its turn", () => held.length === 2);
  await clock.advance(5250);
  await expect(waiting).rejects.toMatchObject({ code: "engine.overloaded", class: "throttled" });
  held[1]?.();
  await second;
  expect(asked).toEqual(["/version", "/version"]);
});

test("whoever looks whether a cluster answers waits behind no call of ours", async () => {
  await using world = await connectTo((_request, response) => response.end("{}"), {
    limit: { qps: 0.001, burst: 1 },
  });
  await world.get();
  const stop = new AbortController();
  const waiting = world.connection.call({ method: "GET", path: "/waits" }, stop.signal);
  expect((await world.connection.ask({ method: "GET", path: "/version" }, signal)).status).toBe(200);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: "engine.aborted" });
});

test("a call that waited is not sent before the guard has verified the cluster", async () => {
  const clock = new ManualClock();
  await using world = await connectTo((_request, response) => response.end("{}"), {
    clock,
    limit: { qps: 1, burst: 1 },
  });
  await world.get();
  world.connection.guard({
    verify: () => Promise.reject(new Fault("kube.replaced", "another cluster")),
    disturbed: () => undefined,
  });
  const waiting = world.get();
  waiting.catch(() => undefined);
  world.connection.reopenStreams();
  await clock.advance(1000);
  await expect(waiting).rejects.toMatchObject({ code: "kube.replaced" });
});
