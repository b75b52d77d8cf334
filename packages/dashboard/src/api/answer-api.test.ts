import { Fault } from "@fleet-reloader/domain/fault";
import type { ChangeRecord } from "@fleet-reloader/engine/history/history";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { fleetOf, nobodyAsked, overviewOf, readerOf, startServedFleet } from "../fixture/served-fleet.ts";

const answerBytesMax = 200 * 1024;

function changed(at: number, clusters = ["nova"]): readonly ChangeRecord[] {
  const id = String(at).padStart(5, "0");
  return clusters.map((name) => ({
    v: 1,
    time: new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
    type: "change",
    cluster: { id: `uid-${name}`, name },
    change: `${name}/db@${id}`,
    fleetChange: `f1-${id}`,
    source: { kind: "Secret", namespace: "shop", name: `db-${id}` },
    resourceVersion: "7",
  }));
}

type ServedFleet = Awaited<ReturnType<typeof startServedFleet>>;

/** Reads all pages: their sizes in bytes, and the elements of `list`. */
async function allPages(served: ServedFleet, path: string, list: string) {
  const sizes: number[] = [];
  const elements: unknown[] = [];
  let next: string | undefined = "";
  while (next !== undefined) {
    const { body, status } = await served.ask(next === "" ? path : `${path}&cursor=${next}`);
    expect(status, body.slice(0, 300)).toBe(200);
    const answer = JSON.parse(body);
    sizes.push(Buffer.byteLength(body));
    elements.push(...answer[list]);
    next = answer.next;
  }
  return { sizes, elements };
}

test("pages of a long list have every element once, and none is larger than 200 KiB", async () => {
  const why = ["no route to host ".repeat(40), "\u200b\u202e".repeat(300)];
  const names = Array.from({ length: 1000 }, (_, at) => `cluster-${at}`);
  const sick = names.map((name) => ({ ...overviewOf(name), status: { state: "Unreachable", why } as const }));
  await using served = await startServedFleet({ overview: fleetOf(sick) });
  const { sizes, elements } = await allPages(served, "/api/v1/clusters?limit=1000", "clusters");
  expect(sizes.length).toBeGreaterThan(5);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(answerBytesMax);
  expect(elements.map((each) => (each as { name: string }).name).sort()).toEqual(names.toSorted());
});

test("a status of a fleet that is all sick is not larger than 200 KiB, and counts all", async () => {
  const why = ["no route to host ".repeat(400)];
  const sick = Array.from({ length: 1000 }, (_, at) => ({
    ...overviewOf(`cluster-${at}`),
    status: { state: "Unreachable", why } as const,
  }));
  const records = Array.from({ length: 300 }, (_, at) =>
    changed(at, ["n".repeat(250), "m".repeat(250)]),
  ).flat();
  await using served = await startServedFleet({ overview: fleetOf(sick), reader: readerOf(records) });
  const { body } = await served.ask("/api/v1/status?since=2d");
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(answerBytesMax);
  const { clusters } = JSON.parse(body);
  expect(clusters).toMatchObject({ count: 1000, sickCount: 1000 });
  expect(clusters.sick.length).toBeGreaterThan(3);
});

test("holds with many freezes are not larger than 200 KiB, and count all", async () => {
  const freezes = Array.from({ length: 1000 }, (_, at) => ({
    scope: { cluster: `cluster-${at}` },
    reason: "the disk is full ".repeat(100),
    by: "ann",
  }));
  const held = Array.from({ length: 1000 }, (_, at) => ({
    id: String(at),
    request: { cluster: "uid-nova", workload: { kind: "Deployment", namespace: "shop", name: `api-${at}` } },
    reason: at % 4 === 0 ? "BudgetRate" : "n".repeat(300),
    againAtMs: 0,
  }));
  const fleet = fleetOf([overviewOf("nova")]);
  const overview = { ...fleet, freezes: async () => freezes, holds: async () => held };
  await using served = await startServedFleet({ overview });
  const { body } = await served.ask("/api/v1/held?limit=1000");
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(answerBytesMax);
  const { count, freezeCount, holds, reasons } = JSON.parse(body);
  expect([count, freezeCount, reasons.BudgetRate]).toEqual([1000, 1000, 250]);
  expect(holds.length).toBeGreaterThan(100);
  const queue = JSON.parse((await served.ask("/api/v1/queue")).body);
  expect(queue).toMatchObject({ queue: { delayed: 0 }, held: { BudgetRate: 250 }, failed: {} });
});

test("a freeze that is over is not in force, though nobody has taken it away", async () => {
  const lasting = { scope: { cluster: "nova" }, reason: "disk full", by: "ann" };
  const freezes = async () => [{ ...lasting, untilMs: systemClock.now() - 1000 }, lasting];
  await using served = await startServedFleet({ overview: { ...fleetOf([overviewOf("nova")]), freezes } });
  for (const path of ["/api/v1/status", "/api/v1/held"]) {
    const answer = JSON.parse((await served.ask(path)).body);
    expect(answer).toMatchObject({ freezeCount: 1, freezes: [lasting] });
    expect(answer.freezes[0].untilMs).toBeUndefined();
  }
});

test("freezes that cannot be read are told with those that were known before", async () => {
  const unreadableFreezes = "entry 1: no reason";
  const fleet = Object.assign(fleetOf([]), { unreadableFreezes: async () => unreadableFreezes });
  await using served = await startServedFleet({ overview: fleet });
  for (const path of ["/api/v1/status", "/api/v1/held"])
    expect(JSON.parse((await served.ask(path)).body)).toMatchObject({ freezeCount: 0, unreadableFreezes });
});

test("what comes to the front between two pages moves nothing on the next one", async () => {
  const records = [changed(1), changed(2), changed(3)].flat();
  await using served = await startServedFleet({ reader: readerOf(records) });
  const path = "/api/v1/changes?since=2026-01-01T00:00:00Z&limit=2";
  const first = JSON.parse((await served.ask(path)).body);
  expect(first).toMatchObject({ count: 3, changes: [{ id: "f1-00003" }, { id: "f1-00002" }] });
  records.push(...changed(4));
  const second = JSON.parse((await served.ask(`${path}&cursor=${first.next}`)).body);
  expect(second).toMatchObject({ count: 4, changes: [{ id: "f1-00001" }] });
  expect(second.next).toBeUndefined();
});

test("one change says where each workload stands with it, by any of its ids", async () => {
  const workload = { kind: "Deployment", namespace: "shop", name: "api" };
  const records = [
    ...changed(1, ["nova", "otech62"]),
    {
      v: 1,
      time: "2026-01-01T00:00:01.000Z",
      type: "outcome",
      cluster: { id: "uid-otech62", name: "otech62" },
      workload,
      result: "failed",
      reason: "ProgressDeadlineExceeded",
      message: "key is missing",
      seconds: 3,
      sources: [{ kind: "Secret", namespace: "shop", name: "db-00001", change: "otech62/db@00001" }],
    },
  ] as const;
  await using served = await startServedFleet({ reader: readerOf(records) });
  const answer = {
    change: { id: "f1-00001", clusters: ["nova", "otech62"], workloads: { failed: 1 }, isDone: false },
    count: 1,
    workloads: [{ cluster: "otech62", workload, progress: "failed", message: "key is missing" }],
  };
  for (const id of ["f1-00001", "otech62%2Fdb%4000001"]) {
    const { body } = await served.ask(`/api/v1/changes/${id}?since=2d`);
    expect(JSON.parse(body)).toMatchObject(answer);
  }
});

const cases: readonly (readonly [string, number, object])[] = [
  [
    "/api/v1/workloads/nova/Deployment/shop/api%2Fscale",
    400,
    { field: "name", value: "api/scale", mend: "write the name as kubectl shows it" },
  ],
  ["/api/v1/workloads/nova/Deployment/../api", 404, { field: "path" }],
  ["/api/v1/workloads/nova/Deployment/%2E%2E/api", 404, { field: "path" }],
  [
    "/api/v1/clusters?filter=x",
    400,
    { field: "filter", value: "x", mend: "write one of cluster, limit, cursor" },
  ],
  ["/api/v1/changes?clustr=nova", 400, { field: "clustr", mend: "did you mean cluster?" }],
  [
    "/api/v1/clusters?limit=0",
    400,
    { field: "limit", value: "0", problem: "limit: must be a whole number from 1 to 1000" },
  ],
  ["/api/v1/clusters?limit=1e9", 400, { field: "limit", value: "1e9" }],
  ["/api/v1/clusters?limit=1&limit=2", 400, { field: "limit", mend: "write it once" }],
  ["/api/v1/clusters?cluster=Nova", 400, { field: "cluster", value: "Nova", mend: "did you mean nova?" }],
  ["/api/v1/clusters?cluster=", 400, { field: "cluster", problem: "cluster: must not be empty" }],
  ["/api/v1/clusters?cursor=WzEsIngiXQ.AAAA", 400, { field: "cursor", value: "WzEsIngiXQ.AAAA" }],
  ["/api/v1/held?reason=Frosen", 400, { field: "reason", value: "Frosen", mend: "did you mean Frozen?" }],
  ["/api/v1/changes?since=soon", 400, { field: "since", value: "soon" }],
  ["/api/v1/changes/f1-gone", 404, { field: "change", value: "f1-gone", mend: "give an earlier since" }],
  ["/api/v1/workloads/gone/Deployment/shop/api", 404, { field: "cluster", value: "gone" }],
  ["/api/v1/workloads/nova/Deploymnt/shop/api", 404, { field: "kind", mend: "did you mean Deployment?" }],
  ["/api/v1/sources/nova/Secrt/shop/db", 404, { field: "kind", mend: "did you mean Secret?" }],
  ["/api/v1/workloads/%ff/Deployment/shop/api", 404, { field: "path", value: "%ff" }],
  ["/api/v1/nothing", 404, { field: "path", value: "/api/v1/nothing" }],
  ["/api/v1", 404, { field: "path" }],
];
test.each(cases)(
  "a wrong question is refused with field, value and mend: %s",
  async (path, status, problem) => {
    await using served = await startServedFleet();
    const answer = await served.ask(path);
    expect({ status: answer.status, ...JSON.parse(answer.body) }).toMatchObject({
      status,
      code: "question.invalid",
      ...problem,
    });
  },
);

test("a cursor of another query or of another process is refused", async () => {
  await using served = await startServedFleet();
  const { next } = JSON.parse((await served.ask("/api/v1/clusters?limit=1")).body);
  expect((await served.ask(`/api/v1/clusters?limit=5&cursor=${next}`)).status).toBe(200);
  expect((await served.ask(`/api/v1/clusters?cluster=nova&cursor=${next}`)).status).toBe(400);
  expect((await served.ask(`/api/v1/held?cursor=${next}`)).status).toBe(400);
  await using other = await startServedFleet();
  expect((await other.ask(`/api/v1/clusters?limit=1&cursor=${next}`)).status).toBe(400);
});

test.each([
  ["redis.unavailable", 503],
  ["kube.forbidden", 403],
  ["kube.unreachable", 503],
  ["engine.overloaded", 429],
] as const)("the status of %s is %i", async (code, status) => {
  const clusters = () => Promise.reject(new Fault(code, "it is so"));
  await using served = await startServedFleet({ overview: { ...fleetOf([]), clusters } });
  const answer = await served.ask("/api/v1/clusters");
  expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({
    status,
    body: { code, problem: "it is so", mend: expect.stringMatching(/./) },
  });
});

test("what broke inside is in the log and not in the answer", async () => {
  const clusters = () => Promise.reject(new TypeError("canary-77"));
  await using served = await startServedFleet({ overview: { ...fleetOf([]), clusters } });
  const answer = await served.ask("/api/v1/clusters");
  expect(answer.status).toBe(500);
  expect(answer.body).not.toContain("canary-77");
  expect(JSON.stringify(served.log.lines)).toContain("canary-77");
});

test("what Redis answers does not wait for questions to a dead cluster", async () => {
  let asked = 0;
  const ask = (_: string, __: unknown, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      asked += 1;
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  await using served = await startServedFleet({
    asked: { ...nobodyAsked, ask },
  });
  const paths = Array.from({ length: 8 }, (_, at) => `/api/v1/workloads/nova/Deployment/shop/api-${at}`);
  const unanswered = paths.map((path) => served.ask(path).catch(() => undefined));
  await until("every turn is taken", () => asked >= 4);
  for (const path of ["status", "clusters", "changes", "held", "queue"])
    expect((await served.ask(`/api/v1/${path}`)).status).toBe(200);
  expect(asked).toBe(4);
  await served[Symbol.asyncDispose]();
  await Promise.all(unanswered);
});

test("a question that waits for its turn is refused when Redis goes away", async () => {
  const clock = new ManualClock();
  const reader = { notReady: [] as string[], read: readerOf([]).read };
  const overview = { ...fleetOf([]), clusters: () => new Promise<never>(() => undefined) };
  await using served = await startServedFleet({ clock, reader, overview });
  const asked = Array.from({ length: 6 }, (_, at) => served.ask(`/api/v1/clusters?limit=${at + 1}`));
  // Each question checks Redis and waits for others that ask the same.
  await until("all ask", () => clock.sleeping === 12);
  await clock.advance(20);
  // Four questions have a turn with a time limit.
  await until("all wait", () => clock.sleeping === 10);
  reader.notReady.push("redis: unanswered");
  await clock.advance(1000);
  for (const { status } of await Promise.all(asked)) expect(status).toBe(503);
});

test("a Redis that is away is told at once", async () => {
  const reader = { ...readerOf([]), notReady: ["redis: no connection"] };
  await using served = await startServedFleet({ reader });
  const { body, status } = await served.ask("/api/v1/status");
  expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 503, problem: "redis: no connection" });
});

test("the API is only read, and other sites cannot ask it", async () => {
  await using served = await startServedFleet();
  const posted = await served.ask("/api/v1/status", {}, "POST");
  expect([posted.status, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
  expect((await served.ask("/api/v1/status", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  const own = await served.ask("/api/v1/status", { "sec-fetch-site": "same-origin" });
  expect(own).toMatchObject({
    status: 200,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
  expect((await served.ask("/api/v1/status", {}, "HEAD")).body).toBe("");
});
