import { expect, test } from "vitest";
import { actingFleet, admin, callerWith, memoryFreezes, type TestGrant } from "../fixture/acting-fleet.ts";
import { startServedFleet } from "../fixture/served-fleet.ts";

const json = { "content-type": "application/json" };
const place = { cluster: "nova", namespace: "shop" };
const api = { object: "Deployment/api", cluster: "nova", namespace: "shop" };
const sure = { reason: "incident 4711", expect: 1 };

/** A dashboard on which a person acts. */
async function startActing(caller = admin, freezes = memoryFreezes()) {
  const fleet = actingFleet(caller, freezes);
  const served = await startServedFleet({ acts: fleet.acts, overview: fleet.overview });
  return {
    fleet,
    freezes,
    ask: served.ask,
    async act(name: string, body: object, headers: Readonly<Record<string, string>> = {}) {
      const sent = await served.ask(
        `/api/v1/acts/${name}`,
        { ...json, ...headers },
        "POST",
        JSON.stringify(body),
      );
      return { status: sent.status, answer: JSON.parse(sent.body) };
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

test("a dry run answers what is meant and does nothing", async () => {
  await using acting = await startActing();
  const { status, answer } = await acting.act("retry", { object: "deploy/api", dryRun: true });
  expect(status).toBe(200);
  expect(answer).toEqual({
    act: "retry",
    target: "Deployment/api",
    count: 2,
    workloads: [
      { cluster: "nova", workload: "Deployment/shop/api" },
      { cluster: "otech62", workload: "Deployment/shop/api" },
    ],
    isDone: false,
  });
  expect([acting.fleet.added, acting.fleet.records]).toEqual([[], []]);
});

test("an act adds one request that is due at once, and records who did it and why", async () => {
  await using acting = await startActing();
  const { status, answer } = await acting.act("retry", Object.assign({}, api, sure));
  expect({ status, answer }).toMatchObject({
    status: 200,
    answer: {
      isDone: true,
      count: 1,
      notice: "retry Deployment/api in namespace shop on nova: 1 workload will be checked now",
    },
  });
  const workload = { kind: "Deployment", namespace: "shop", name: "api" };
  const request = { cluster: "uid-nova", workload };
  expect(acting.fleet.added).toEqual([{ request, quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" }]);
  expect(acting.fleet.records).toEqual([
    expect.objectContaining({
      type: "operator",
      action: "retry",
      by: "ann",
      note: "incident 4711 (1)",
      scope: { cluster: "nova", namespace: "shop", workload: { kind: "Deployment", name: "api" } },
    }),
  ]);
});

test("an act on another count than expected is refused with the count of now", async () => {
  await using acting = await startActing();
  acting.fleet.workloads.set("uid-otech62", []);
  const replay = { object: "Secret/db", reason: "rotation", expect: 2 };
  expect(await acting.act("replay", replay)).toMatchObject({
    status: 409,
    answer: {
      field: "expect",
      value: "2",
      count: 1,
      problem: "expect: 1 workload is meant now; nothing was done",
    },
  });
  expect([acting.fleet.added, acting.fleet.records]).toEqual([[], []]);
});

test("replay by a pattern, and release with its breaker, do what their commands do", async () => {
  await using acting = await startActing();
  const web = { object: "cm/web-nginx", reason: "webhook was down", expect: 2 };
  expect(await acting.act("replay", web)).toMatchObject({ status: 200 });
  expect(acting.fleet.added.map(({ request }) => request.workload.name)).toEqual(["web", "web"]);
  expect(await acting.act("release", Object.assign({}, api, sure))).toMatchObject({ status: 200 });
  expect(acting.fleet.closed).toEqual(["uid-nova/api"]);
  expect(acting.fleet.records.map(({ action }) => action)).toEqual(["replay", "release"]);
});

test("a freeze is written with its name and reason, and lifted by another act", async () => {
  await using acting = await startActing();
  const scope = { cluster: "nova", namespace: "shop", workload: "deploy/api" };
  const frozen = await acting.act("freeze", { ...scope, ...sure, until: "2099-01-01T00:00:00Z" });
  expect(frozen).toMatchObject({ status: 200, answer: { isDone: true, count: 1 } });
  const text = await acting.freezes.text();
  for (const line of ["cluster: nova", "workload: deploy/api", "reason: incident 4711", "by: ann"])
    expect(text).toContain(line);
  const lifted = await acting.act("lift", { ...scope, workload: "Deployment/api", ...sure });
  expect(lifted).toMatchObject({ status: 200, answer: { isDone: true } });
  expect(await acting.freezes.text()).toBe("[]\n");
  expect(acting.fleet.records).toEqual([
    expect.objectContaining({ action: "lift", by: "ann", note: "incident 4711 (1)" }),
  ]);
  expect(await acting.act("lift", { ...scope, ...sure })).toMatchObject({
    status: 400,
    answer: { field: "scope", problem: "scope: it is not frozen in ConfigMap reloader/freezes" },
  });
});

test("a lift of nothing says what it means that the document is not there", async () => {
  await using acting = await startActing();
  const { answer } = await acting.act("lift", { cluster: "nova", workload: "deploy/api", ...sure });
  const mend = expect.stringMatching(/freezes is not there: if it ever was, everything is frozen until/);
  expect(answer).toMatchObject({ field: "scope", mend });
});

test.each([
  [{ areGone: false }, "read", /^it covers 4 workloads of 2 clusters/],
  [
    { areGone: true },
    "unread",
    /^it may hold nothing: no watcher has read ConfigMap reloader\/freezes within 20 s. Give the dashboard /,
  ],
  [
    { areGone: true, unreadable: "entry 1" },
    "unreadable",
    /freezes cannot be read, and nothing is rolled: entry 1$/,
  ],
] as const)("a freeze says whether watchers that are %j have read it", async (are, reading, covers) => {
  await using acting = await startActing();
  Object.assign(acting.fleet.watchers, are);
  const { status, answer } = await acting.act("freeze", { fleet: true, reason: "incident", expect: 4 });
  expect({ status, answer }).toMatchObject({ status: 200, answer: { isDone: true, count: 4, reading } });
  expect(answer.covers).toMatch(covers);
  expect(answer.notice.endsWith(`; ${answer.covers}`)).toBe(reading !== "read");
  // An unread freeze is written, too: a watcher may read it later.
  expect(await acting.freezes.text()).toContain("by: ann");
});

// The problem of a document may quote anything in it.
test("whoever sees a part reads that freezes cannot be read, and not why", async () => {
  await using acting = await startActing(callerWith("bob", [{ role: "operator", ...place }]));
  Object.assign(acting.fleet.watchers, { areGone: true, unreadable: "entry 1: namespace secret-1" });
  const { answer } = await acting.act("freeze", Object.assign({ reason: "incident", expect: 2 }, place));
  expect(answer).toMatchObject({ isDone: true, reading: "unreadable" });
  expect(answer.covers).toContain("a document of freezes cannot be read");
  expect(JSON.stringify(answer)).not.toContain("secret-1");
});

test("a freeze that covers nothing says so before it is set", async () => {
  await using acting = await startActing();
  const { answer } = await acting.act("freeze", { namespace: "shopp", dryRun: true });
  expect(answer).toMatchObject({ count: 0, isDone: false });
  expect(answer.notice).toContain("it covers nothing: no workload of namespace shopp is reloaded");
});

test.each([
  ["retry", api, 400, "reason", "it is missing"],
  ["retry", { ...api, reason: " " }, 400, "reason", "it is missing"],
  ["retry", { ...api, reason: "x" }, 400, "expect", "it is missing"],
  ["retry", { ...api, reason: "x".repeat(1001) }, 400, "reason", "more than 1000 characters"],
  ["retry", { ...api, ...sure, expect: 1.5 }, 400, "expect", "must be a whole number"],
  ["retry", { ...api, ...sure, resaon: "x" }, 400, "resaon", "is no field of this act"],
  ["retry", [], 400, "body", "it is no JSON object"],
  ["retry", { ...sure, object: "Deploymnt/api" }, 400, "object", "names no workload"],
  ["retry", { ...sure, object: "Secret/db" }, 400, "object", "names no workload"],
  ["retry", { ...sure, object: "deploy/nothing" }, 400, "object", "no workload that is reloaded is meant"],
  ["retry", { ...api, ...sure, cluster: "vega" }, 400, "cluster", "no cluster is called vega"],
  ["replay", { ...api, ...sure }, 400, "object", "names no source"],
  ["release", { ...sure, object: "deploy/web" }, 400, "object", "no breaker of it is open"],
  ["freeze", sure, 400, "body", "does not say what is frozen"],
  ["freeze", { ...sure, fleet: true, until: "soon" }, 400, "until", "is no time"],
  ["freeze", { ...sure, fleet: true, until: "100000000d" }, 400, "until", "is no time"],
  ["freeze", { ...sure, fleet: true, until: "2020-01-01T00:00:00Z" }, 400, "until", "this time is over"],
  ["remove", sure, 404, "path", "the API has no such act"],
  ["retry", { ...api, reason: "x".repeat(20_000) }, 413, "Content-Length", "larger than 16384 bytes"],
] as const)("%s %j is refused with %i", async (name, body, status, field, problem) => {
  await using acting = await startActing();
  const refused = await acting.act(name, body);
  expect(refused).toMatchObject({ status, answer: { field } });
  expect(refused.answer.problem).toContain(problem);
  expect(refused.answer.mend).not.toBe("");
  expect([acting.fleet.added, acting.fleet.records, await acting.freezes.text()]).toEqual([
    [],
    [],
    undefined,
  ]);
});

test.each([
  [{ "sec-fetch-site": "cross-site" }, 403, "Sec-Fetch-Site"],
  [{ "sec-fetch-site": "same-site" }, 403, "Sec-Fetch-Site"],
  [{ "sec-fetch-site": "none" }, 403, "Sec-Fetch-Site"],
  [{ origin: "https://elsewhere.example" }, 403, "Origin"],
  [{ origin: "null" }, 403, "Origin"],
  [{ "content-type": "text/plain" }, 415, "Content-Type"],
  [{ "content-type": "application/x-www-form-urlencoded" }, 415, "Content-Type"],
  [{ "content-encoding": "gzip" }, 413, "Content-Length"],
])("an act with the header %j is refused with %i", async (headers, status, field) => {
  await using acting = await startActing();
  const refused = await acting.act("retry", Object.assign({}, api, sure), headers);
  expect(refused).toMatchObject({ status, answer: { field } });
  expect([acting.fleet.added, acting.fleet.records]).toEqual([[], []]);
});

test("a body of 10 MB is refused with an answer, whatever it says of its length", async () => {
  await using acting = await startActing();
  const body = JSON.stringify({ reason: "x".repeat(10_000_000) });
  for (const headers of [json, { ...json, "transfer-encoding": "chunked" }]) {
    const sent = await acting.ask("/api/v1/acts/retry", headers, "POST", body);
    expect([sent.status, JSON.parse(sent.body)]).toMatchObject([413, { field: "Content-Length" }]);
  }
});

test("an act is sent and not asked for", async () => {
  await using acting = await startActing();
  const { status, headers } = await acting.ask("/api/v1/acts/retry");
  expect([status, headers.allow]).toEqual([405, "POST"]);
});

const everywhere = { cluster: "", namespace: "" };
const people: Readonly<Record<string, readonly TestGrant[]>> = {
  viewer: [{ role: "viewer", ...everywhere }],
  operator: [{ role: "operator", ...everywhere }],
  "operator of shop on nova": [{ role: "operator", ...place }],
  "operator of nova": [{ role: "operator", cluster: "nova", namespace: "" }],
  "operator elsewhere": [{ role: "operator", cluster: "otech62", namespace: "shop" }],
  admin: [{ role: "admin", ...everywhere }],
  "admin of nova": [{ role: "admin", cluster: "nova", namespace: "" }],
};
const onObject = ["operator", "operator of shop on nova", "operator of nova", "admin", "admin of nova"];
const objectEverywhere = ["operator", "admin"];
const onCluster = ["admin", "admin of nova"];

/** Who may do what. Every caller that is not listed is refused. */
test.each([
  ["retry", api, onObject],
  ["retry", { ...api, cluster: "uid-nova" }, onObject],
  ["retry", { object: "Deployment/api" }, objectEverywhere],
  ["replay", { object: "Secret/db", ...place }, onObject],
  ["release", api, onObject],
  ["freeze", { ...place, workload: "Deployment/api" }, onObject],
  ["freeze", place, onObject],
  ["lift", place, onObject],
  ["freeze", { namespace: "shop" }, objectEverywhere],
  ["freeze", { cluster: "nova" }, onCluster],
  ["freeze", { cluster: "nova", workload: "Deployment/api" }, onCluster],
  ["lift", { cluster: "nova" }, onCluster],
  ["freeze", { fleet: true }, ["admin"]],
  ["freeze", { clusterSelector: "env=prod" }, ["admin"]],
  ["lift", { fleet: true }, ["admin"]],
] as const)("%s %j is for whoever may", async (name, body, allowed: readonly string[]) => {
  const seen: string[] = [];
  for (const [who, grants] of Object.entries(people)) {
    await using acting = await startActing(callerWith(who, grants));
    const { status, answer } = await acting.act(name, { ...body, dryRun: true });
    if (status === 200) seen.push(who);
    else expect({ status, answer }).toMatchObject({ status: 403, answer: { code: "access.forbidden" } });
  }
  expect(seen.toSorted()).toEqual([...allowed].toSorted());
});

test("who may do what is answered place by place", async () => {
  await using acting = await startActing(callerWith("bob", [{ role: "operator", ...place }]));
  const asked = ["nova/shop", "nova/", "/shop", "/", "otech62/shop"];
  const query = asked.map((one) => `place=${encodeURIComponent(one)}`).join("&");
  const { body, status } = await acting.ask(`/api/v1/acts?${query}`);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({
    by: "bob",
    places: {
      "nova/shop": ["retry", "replay", "release", "discard", "freeze", "lift"],
      "nova/": [],
      "/shop": [],
      "/": [],
      "otech62/shop": [],
    },
  });
});

test("nobody acts where nobody can sign in, or nobody has", async () => {
  await using served = await startServedFleet();
  const asked = await served.ask("/api/v1/acts?place=nova/shop");
  expect(JSON.parse(asked.body)).toEqual({ by: "", places: { "nova/shop": [] } });
  const sent = await served.ask("/api/v1/acts/retry", json, "POST", JSON.stringify({ ...api, ...sure }));
  expect([sent.status, JSON.parse(sent.body)]).toMatchObject([403, { field: "caller" }]);
  const everything = [{ role: "admin", ...everywhere }] as const;
  await using acting = await startActing(callerWith("", everything));
  expect(await acting.act("retry", { ...api, ...sure })).toMatchObject({ status: 403 });
});
