import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Admit } from "@fleet-reloader/engine/ports/cluster-api";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { isRunning, startPlugin } from "../fixture/counting-plugin.ts";
import { createSkippingClock, systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import type { CallRecord } from "../http/call-record.ts";
import { Connection } from "../http/connection.ts";
import { Credentials } from "./credentials.ts";
import { selectTargets } from "./kubeconfig.ts";

const forever = new AbortController().signal;

describe("credentials", () => {
  test("are asked for once, however many requests wait for them", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    plugin.give("first");
    const credentials = new Credentials(plugin.target, new ManualClock());
    const identities = await Promise.all(Array.from({ length: 20 }, () => credentials.get(forever)));
    expect(plugin.starts).toBe(1);
    expect(new Set(identities).size).toBe(1);
    expect(identities[0]?.headers).toEqual({ authorization: "Bearer first" });
  });

  test("that the server refuses are renewed; a late refusal discards nothing newer", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    plugin.give("first");
    const clock = new ManualClock();
    const credentials = new Credentials(plugin.target, clock);
    const first = await credentials.get(forever);
    plugin.give("second");
    await clock.advance(10_000);
    credentials.invalidate(first);
    expect((await credentials.get(forever)).headers.authorization).toBe("Bearer second");
    for (let late = 0; late < 3; late += 1) {
      credentials.invalidate(first);
      await credentials.get(forever);
    }
    expect(plugin.starts).toBe(2);
  });

  test("are kept while they are good, whatever the plugin would say", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    plugin.give("first");
    const clock = new ManualClock();
    const credentials = new Credentials(plugin.target, clock);
    await credentials.get(forever);
    await clock.advance(600_000);
    await credentials.get(forever);
    expect(plugin.starts).toBe(1);
  });

  test("have a time limit: a hanging plugin is stopped, the next request starts another", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    plugin.hang();
    const clock = new ManualClock();
    const credentials = new Credentials(plugin.target, clock);
    const stop = new AbortController();
    const stopped = credentials.get(stop.signal);
    const waiting = credentials.get(forever);
    waiting.catch(() => undefined);
    const pid = await until("it hangs", () => plugin.hungPid());
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: "engine.aborted" });
    await clock.advance(10_000);
    await expect(waiting).rejects.toMatchObject({
      code: "kube.unauthorized",
      message: 'credentials of context c cannot be obtained: its plugin "sh" did not answer within 10 s',
    });
    await until("what it had started is gone", () => !isRunning(pid));
    plugin.hangNoMore();
    plugin.give("late");
    expect((await credentials.get(forever)).headers.authorization).toBe("Bearer late");
  });

  test("that are asked for when all is over are given up, and their plugin is stopped", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    plugin.hang();
    const connection = new Connection({ target: plugin.target, clock: systemClock, userAgent: "test" });
    const call = connection.call({ method: "GET", path: "/version" }, forever);
    call.catch(() => undefined);
    const pid = await until("it hangs", () => plugin.hungPid());
    await connection.close();
    await expect(call).rejects.toMatchObject({ code: "engine.aborted" });
    await until("the plugin is gone", () => !isRunning(pid));
  });

  test("that cannot be had are a fault that names the context, and are asked for again", async () => {
    using plugin = startPlugin("http://127.0.0.1:1");
    const credentials = new Credentials(plugin.target, new ManualClock());
    await expect(credentials.get(forever)).rejects.toMatchObject({
      code: "kube.unauthorized",
      message: expect.stringContaining("credentials of context c cannot be obtained"),
    });
    plugin.give("late");
    expect((await credentials.get(forever)).headers.authorization).toBe("Bearer late");
  });
});

test.each([
  ["complains of is repeated nowhere, only how it ended", "complain", 'its plugin "sh" failed (exit code 3)'],
  [
    "answers is repeated nowhere, also when it is no JSON",
    "giveText",
    "the answer of its plugin is not JSON",
  ],
] as const)("what a plugin %s", async (_what, how, says) => {
  using plugin = startPlugin("http://127.0.0.1:1");
  plugin[how]("canary-token");
  const credentials = new Credentials(plugin.target, new ManualClock());
  const refused = await credentials.get(forever).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: `credentials of context c cannot be obtained: ${says}` });
  expect(inspect(refused)).not.toContain("canary");
});

test("a plugin that is not there is named, with the code of the operating system", async () => {
  using plugin = startPlugin("http://127.0.0.1:1", "no-such-plugin");
  await expect(new Credentials(plugin.target, new ManualClock()).get(forever)).rejects.toMatchObject({
    message: 'credentials of context c cannot be obtained: its plugin "no-such-plugin" failed (ENOENT)',
  });
});

test("a token file that is not there is told by its name and code", async () => {
  using plugin = startPlugin("http://127.0.0.1:1");
  const { config } = plugin.target;
  config.users = [{ name: "u", authProvider: { name: "tokenFile", config: { tokenFile: "/no/such/file" } } }];
  await expect(new Credentials(plugin.target, new ManualClock()).get(forever)).rejects.toMatchObject({
    message: "credentials of context c cannot be obtained: /no/such/file cannot be read (ENOENT)",
  });
});

describe("a token file of a kubeconfig", () => {
  test("is read, relative to the kubeconfig, and read again once its token is refused", async () => {
    const dir = mkdtempSync(join(tmpdir(), "fr-token-"));
    try {
      const file = join(dir, "config");
      const kubeconfig = {
        clusters: [{ name: "c", cluster: { server: "https://kube" } }],
        users: [{ name: "u", user: { tokenFile: "token", token: "older" } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
        "current-context": "c",
      };
      writeFileSync(file, JSON.stringify(kubeconfig));
      writeFileSync(join(dir, "token"), "first\n");
      const [target] = selectTargets([file], []);
      if (target === undefined) throw new Error("no target");
      const credentials = new Credentials(target, new ManualClock());
      const first = await credentials.get(forever);
      expect(first.headers).toEqual({ authorization: "Bearer first" });
      writeFileSync(join(dir, "token"), "second\n");
      credentials.invalidate(first);
      expect((await credentials.get(forever)).headers).toEqual({ authorization: "Bearer second" });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

test("a plugin that fails is started once for a call, and the call says why", async () => {
  using plugin = startPlugin("http://127.0.0.1:1");
  const connection = new Connection({ target: plugin.target, clock: systemClock, userAgent: "test" });
  await expect(connection.call({ method: "GET", path: "/version" }, forever)).rejects.toMatchObject({
    code: "kube.unauthorized",
    message: expect.stringContaining("(exit code 1)"),
  });
  expect(plugin.starts).toBe(1);
  await connection.close();
});

test("admission of a call is asked for when its credentials are there, and not before", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  using plugin = startPlugin(cluster.url);
  plugin.hang();
  const connection = new Connection({ target: plugin.target, clock: systemClock, userAgent: "test" });
  let isForbidden = false;
  const admit: Admit = async () => (isForbidden ? "hold" : "go");
  const body = JSON.stringify({ metadata: { name: "a" } });
  const path = "/api/v1/namespaces/default/configmaps";
  const writes = cluster.writes.length;
  const call = connection.call({ method: "POST", path, body, admit }, forever);
  call.catch(() => undefined);
  const pid = await until("the plugin runs", () => plugin.hungPid());
  isForbidden = true;
  plugin.give(cluster.addUser("robot", undefined, "first"));
  process.kill(pid);
  await expect(call).rejects.toMatchObject({ code: "kube.conflict" });
  expect(cluster.writes).toHaveLength(writes);
  await connection.close();
});

test("a call whose address changed while it waited is sent only after the guard looked", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  using plugin = startPlugin("http://127.0.0.1:1");
  plugin.hang();
  const asked: string[] = [];
  const onCall = ({ host }: CallRecord) => void asked.push(host);
  const connection = new Connection({ target: plugin.target, clock: systemClock, userAgent: "test", onCall });
  const verify = () => Promise.reject(new Fault("kube.replaced", "another cluster"));
  connection.guard({ verify, disturbed: () => undefined });
  const call = connection.call({ method: "GET", path: "/version" }, forever);
  await until("the plugin runs", () => plugin.hungPid());
  connection.use(targetOf(cluster.kubeconfig()));
  await expect(call).rejects.toMatchObject({ code: "kube.replaced" });
  expect(asked).toEqual([]);
  await connection.close();
});

describe("a connection whose token ran out", () => {
  test("renews it within the same call and the same watch", async () => {
    await using cluster = await startSimCluster({ controllers: false });
    using plugin = startPlugin(cluster.url);
    const clock = createSkippingClock();
    const connection = new Connection({ target: plugin.target, clock, userAgent: "test" });
    const path = "/api/v1/configmaps";
    plugin.give(cluster.addUser("robot", undefined, "first"));
    expect((await connection.call({ method: "GET", path }, forever)).status).toBe(200);

    clock.skip(10_000);
    plugin.give(cluster.addUser("robot", undefined, "second"));
    expect((await connection.call({ method: "GET", path }, forever)).status).toBe(200);

    clock.skip(10_000);
    plugin.give(cluster.addUser("robot", undefined, "third"));
    cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    for await (const chunk of connection.stream({ method: "GET", path: `${path}?watch=1` }, forever)) {
      expect(chunk.toString()).toContain('"ADDED"');
      break;
    }
    expect(plugin.starts).toBe(3);

    cluster.removeUser("robot");
    await expect(connection.call({ method: "GET", path }, forever)).rejects.toMatchObject({
      code: "kube.unauthorized",
    });
    await connection.close();
  });
});

describe("a cluster that refuses us", () => {
  const path = "/api/v1/configmaps";
  /** Sends this many calls, one after the other, to a server that knows none of our tokens. */
  const call = async (connection: Connection, times: number) => {
    for (let one = 0; one < times; one += 1)
      await expect(connection.call({ method: "GET", path }, forever)).rejects.toMatchObject({
        code: "kube.unauthorized",
        context: { status: 401 },
      });
  };

  test("does not start a plugin for each request: once in ten seconds", async () => {
    await using cluster = await startSimCluster({ controllers: false });
    using plugin = startPlugin(cluster.url);
    plugin.give("stale");
    const clock = createSkippingClock();
    const connection = new Connection({ target: plugin.target, clock, userAgent: "test" });
    await call(connection, 3);
    expect(plugin.starts).toBe(1);
    clock.skip(10_000);
    await call(connection, 3);
    expect(plugin.starts).toBe(2);
    await connection.close();
  });

  test("is not asked a second time with the same token", async () => {
    await using cluster = await startSimCluster({ controllers: false });
    const target = targetOf(cluster.kubeconfig());
    cluster.removeUser("admin");
    const codes: string[] = [];
    const onCall = ({ code }: CallRecord) => void codes.push(code);
    const connection = new Connection({ target, clock: systemClock, userAgent: "test", onCall });
    await call(connection, 2);
    expect(codes).toEqual(["401", "401"]);
    await connection.close();
  });
});
