import { networkInterfaces } from "node:os";
import { type Work, workOf } from "@fleet-reloader/engine/admission/work";
import { askAs } from "@fleet-reloader/testkit/ask-as";
import { expect, test } from "vitest";
import { listen, listenHealth } from "./http-endpoint.ts";
import { workPath } from "./work-answer.ts";

async function startHealth(
  how: {
    readonly host?: string;
    readonly notReady?: () => readonly string[];
    readonly notes?: () => readonly string[];
    readonly metrics?: () => Promise<string>;
    readonly work?: () => Promise<Work>;
  } = {},
) {
  const health = await listenHealth({
    address: { host: how.host ?? "127.0.0.1", port: 0 },
    notReady: how.notReady ?? (() => []),
    ...(how.notes === undefined ? {} : { notes: how.notes }),
    metrics: how.metrics ?? (async () => "rolls_total 1\n"),
    ...(how.work === undefined ? {} : { work: how.work }),
  });
  return {
    port: health.port,
    ask: async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${health.port}${path}`);
      return { status: answer.status, type: answer.headers.get("content-type"), body: await answer.text() };
    },
    [Symbol.asyncDispose]: () => health.close(),
  };
}

test("alive and ready say so", async () => {
  await using health = await startHealth();
  expect(await health.ask("/live")).toMatchObject({ status: 200, body: "alive" });
  expect(await health.ask("/ready?verbose=1")).toMatchObject({ status: 200, body: "ready\n" });
});

test("what is not ready tells each reason on a line, and is alive all the same", async () => {
  await using health = await startHealth({ notReady: () => ["redis: down", "cluster a: no route"] });
  expect(await health.ask("/ready")).toMatchObject({
    status: 503,
    body: "redis: down\ncluster a: no route\n",
  });
  expect((await health.ask("/live")).status).toBe(200);
});

test("notes are told and keep nothing from being ready", async () => {
  const problems: string[] = [];
  await using health = await startHealth({ notReady: () => problems, notes: () => ["cluster b is paused"] });
  expect(await health.ask("/ready")).toMatchObject({
    status: 200,
    body: "ready\nnote: cluster b is paused\n",
  });
  problems.push("redis: down");
  expect(await health.ask("/ready")).toMatchObject({
    status: 503,
    body: "redis: down\nnote: cluster b is paused\n",
  });
});

test("what others wrote forges no line and steers no terminal", async () => {
  await using health = await startHealth({
    notReady: () => ["cluster \u001b[2Ja: x\nready"],
    notes: () => ["cluster b: \u202e\u009b31m"],
    work: () => Promise.reject(new Error("redis: \u001b]0;x\u0007")),
  });
  const told = await health.ask("/ready");
  expect(told.body).toBe(
    String.raw`cluster \u{1b}[2Ja: x\u{a}ready
note: cluster b: \u{202e}\u{9b}31m
`,
  );
  expect((await health.ask(workPath)).body).toBe(`${String.raw`redis: \u{1b}]0;x\u{7}`}\n`);
});

test.each(["/live", "/ready", "/metrics", workPath, "/"])(
  "%s is answered by the names of Services and by no public name",
  async (path) => {
    await using health = await startHealth();
    const foreign = await askAs({ port: health.port, path, headers: { host: "evil.example" } });
    expect(foreign).toMatchObject({ status: 421, body: expect.stringContaining('Host: "evil.example"') });
    const own = await askAs({ port: health.port, path, headers: { host: `localhost:${health.port}` } });
    expect(own.status).not.toBe(421);
    const service = await askAs({ port: health.port, path, headers: { host: "mine.tools.svc:9090" } });
    expect(service.status).not.toBe(421);
  },
);

test("metrics come in Prometheus' text format", async () => {
  await using health = await startHealth();
  expect(await health.ask("/metrics")).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
    body: "rolls_total 1\n",
  });
});

test("work is a JSON object with numbers, as KEDA reads it", async () => {
  const work = workOf({ waiting: 1, prioritized: 2, active: 3, due: 4, held: 1 });
  await using health = await startHealth({ work: async () => work });
  const answer = await health.ask(workPath);
  expect(answer).toMatchObject({ status: 200, type: "application/json" });
  expect(JSON.parse(answer.body)).toEqual(work);
  expect(JSON.parse(answer.body)).toHaveProperty("work", 9);
});

test("work that cannot be counted is an error, never zero: scaling falls back", async () => {
  await using health = await startHealth({ work: () => Promise.reject(new Error("redis: reconnecting")) });
  expect(await health.ask(workPath)).toMatchObject({ status: 503, body: "redis: reconnecting\n" });
  await using worker = await startHealth();
  expect((await worker.ask(workPath)).status).toBe(404);
});

test("any other path is told where to look", async () => {
  await using health = await startHealth();
  expect(await health.ask("/")).toMatchObject({
    status: 404,
    body: "not found; /live, /ready and /metrics are served here\n",
  });
  const nothing = workOf({ waiting: 0, prioritized: 0, active: 0, due: 0, held: 0 });
  await using watcher = await startHealth({ work: async () => nothing });
  expect((await watcher.ask("/")).body).toBe(
    "not found; /live, /ready, /metrics and /work are served here\n",
  );
});

test("metrics that cannot be had are an answer, not a request without end", async () => {
  await using health = await startHealth({ metrics: () => Promise.reject(new Error("registry is broken")) });
  expect((await health.ask("/metrics")).status).toBe(500);
  expect((await health.ask("/live")).status).toBe(200);
});

// The kubelet uses the pod's address, which may be of either family.
test("an empty host listens at all addresses of both families", async () => {
  await using health = await startHealth({ host: "" });
  const loopbacks = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const hasIpv6 = loopbacks.some(({ address }) => address === "::1");
  for (const host of ["127.0.0.1", ...(hasIpv6 ? ["[::1]"] : [])])
    expect((await fetch(`http://${host}:${health.port}/live`)).status, host).toBe(200);
  await expect(
    listen("--dashboard-address", { host: "", port: health.port }, () => undefined),
  ).rejects.toThrow(`--dashboard-address :${health.port}: cannot listen there`);
});

test("a port that is taken is refused with the flag and the mend", async () => {
  await using health = await startHealth();
  const address = { host: "127.0.0.1", port: health.port };
  await expect(listen("--dashboard-address", address, () => undefined)).rejects.toMatchObject({
    code: "config.invalid",
    message: `--dashboard-address 127.0.0.1:${health.port}: cannot listen there (the port is taken); choose another address, or port 0 for any free one`,
  });
});
