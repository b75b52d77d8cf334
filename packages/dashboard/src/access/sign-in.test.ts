import { parseJson } from "@fleet-reloader/domain/json";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import {
  createAccessWorld,
  fromOurPage,
  subjectsOf,
  tokenOf,
  type WrittenGrant,
} from "../fixture/access-world.ts";
import { fleetOf, overviewOf, startServedFleet } from "../fixture/served-fleet.ts";

const everywhere = { clusters: "*", namespaces: "*" } as const;
const reads: readonly WrittenGrant[] = [{ role: "viewer", ...everywhere }];
const people = { ann: reads, bob: reads };
const overview = fleetOf([overviewOf("nova")]);
const path = "/api/v1/session";

async function startSignIns() {
  const world = createAccessWorld(subjectsOf(people, { ci: reads }), overview);
  const clock = new ManualClock();
  const times = { now: () => clock.now(), monotonic: () => clock.monotonic() };
  // Questions wait by the real clock.
  const waits = { ...times, sleep: (ms: number, signal: AbortSignal) => systemClock.sleep(ms, signal) };
  const served = await startServedFleet({ overview, access: world.access, clock: waits });
  const give = (body: string, headers: Readonly<Record<string, string>> = fromOurPage) =>
    served.ask(path, headers, "POST", body);
  return {
    clock,
    world,
    served,
    give,
    signIn: (name: string) => give(JSON.stringify({ token: tokenOf(name) })),
    /** The cookie of a signed-in person. */
    async cookieOf(name: string) {
      const { headers } = await give(JSON.stringify({ token: tokenOf(name) }));
      const [cookie = ""] = String(headers["set-cookie"]).split(";");
      return { cookie };
    },
    askAs: async (headers: Readonly<Record<string, string>>) =>
      (await served.ask("/api/v1/clusters", headers)).status,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

test("who signs in gets a cookie that no script reads and no other site sends", async () => {
  await using signs = await startSignIns();
  const { body, headers, status } = await signs.signIn("ann");
  expect([status, parseJson(body)]).toEqual([200, { name: "ann" }]);
  expect(headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^fleet-reloader-session-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    ),
  ]);
  const cookie = await signs.cookieOf("ann");
  expect(await signs.askAs(cookie)).toBe(200);
  expect(parseJson((await signs.served.ask(path, cookie)).body)).toEqual({ name: "ann" });
});

test("nobody without a token of a person gets a cookie", async () => {
  await using signs = await startSignIns();
  const bodies = ["", "{}", '{"token":""}', '{"token":7}', JSON.stringify({ token: tokenOf("ci") })];
  for (const body of bodies) {
    const { headers, status } = await signs.give(body);
    expect([status, headers["set-cookie"]]).toEqual([401, undefined]);
  }
  expect((await signs.give(`{"token":"${"x".repeat(5000)}"}`)).status).toBe(400);
  expect(signs.world.sessions.held.size).toBe(0);
});

const foreign: readonly Readonly<Record<string, string>>[] = [
  { "content-type": "application/json", "sec-fetch-site": "cross-site" },
  { "content-type": "application/json", "sec-fetch-site": "same-site" },
  { "content-type": "application/json", "sec-fetch-site": "none" },
  { "content-type": "application/json", origin: "https://evil.example" },
  { "content-type": "application/json", origin: "null" },
  { "content-type": "application/json" },
  { "content-type": "text/plain", "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "same-origin" },
];

test.each(foreign)("the page of another site signs nobody in or out: %o", async (headers) => {
  await using signs = await startSignIns();
  const { status } = await signs.give(JSON.stringify({ token: tokenOf("ann") }), headers);
  expect(status).toBe(403);
  const cookie = await signs.cookieOf("ann");
  expect((await signs.served.ask(path, { ...headers, ...cookie }, "DELETE")).status).toBe(403);
  // An act with a cookie needs the same headers.
  expect((await signs.served.ask("/api/v1/retry", { ...headers, ...cookie }, "POST")).status).toBe(403);
  expect(await signs.askAs(cookie)).toBe(200);
});

test("a browser that only says its origin signs in at our own page", async () => {
  await using signs = await startSignIns();
  const host = `127.0.0.1:${signs.served.port}`;
  const headers = { "content-type": "application/json", origin: `http://${host}`, host };
  expect((await signs.give(JSON.stringify({ token: tokenOf("ann") }), headers)).status).toBe(200);
});

test("who signs out is known no more, and the cookie is forgotten", async () => {
  await using signs = await startSignIns();
  const [ann, bob] = [await signs.cookieOf("ann"), await signs.cookieOf("bob")];
  const { headers, status } = await signs.served.ask(path, { ...fromOurPage, ...ann }, "DELETE");
  expect(status).toBe(200);
  expect(String(headers["set-cookie"])).toMatch(/^fleet-reloader-session-\d+=; .*Max-Age=0$/);
  expect([await signs.askAs(ann), await signs.askAs(bob)]).toEqual([401, 200]);
});

test("a session ends with its token, and takes up other grants at once", async () => {
  await using signs = await startSignIns();
  const [ann, bob] = [await signs.cookieOf("ann"), await signs.cookieOf("bob")];
  signs.world.replace(subjectsOf({ bob: [{ role: "viewer", clusters: ["nova"], namespaces: "*" }] }));
  expect([await signs.askAs(ann), await signs.askAs(bob)]).toEqual([401, 200]);
  expect((await signs.served.ask("/queues", bob)).status).toBe(403);
  // The session does not come back with the token.
  signs.world.replace(subjectsOf(people));
  expect(await signs.askAs(ann)).toBe(401);
});

test("a session of a person is none of a machine of the same name and token", async () => {
  await using signs = await startSignIns();
  const ann = await signs.cookieOf("ann");
  signs.world.replace(subjectsOf({}, { ann: reads }));
  expect(await signs.askAs(ann)).toBe(401);
});

test("after ten failures the next are refused; a right token is always taken", async () => {
  await using signs = await startSignIns();
  const ann = await signs.cookieOf("ann");
  for (let tries = 0; tries < 10; tries += 1) expect((await signs.give('{"token":"x"}')).status).toBe(401);
  const refused = await signs.give('{"token":"x"}');
  expect([refused.status, parseJson(refused.body)]).toMatchObject([429, { code: "access.throttled" }]);
  expect(await signs.askAs(ann)).toBe(200);
  expect(await signs.askAs({ authorization: `Bearer ${tokenOf("ci")}` })).toBe(200);
  // Behind a proxy all people have one address.
  expect((await signs.signIn("bob")).status).toBe(200);
  await signs.clock.advance(60_000);
  expect((await signs.give('{"token":"x"}')).status).toBe(401);
});

test("a session that is copied in Redis is nobody's", async () => {
  await using signs = await startSignIns();
  const { cookie } = await signs.cookieOf("ann");
  const { held } = signs.world.sessions;
  const [[id = "", session] = []] = [...held];
  if (session === undefined) throw new Error("nobody is signed in");
  held.set("mine", session);
  const [name = ""] = cookie.split("=");
  expect(await signs.askAs({ cookie: `${name}=mine` })).toBe(401);
  expect(await signs.askAs({ cookie: `${name}=${id}` })).toBe(200);
});

test("a sign-in at two fleets on two ports of a host is known to both", async () => {
  await using one = await startSignIns();
  await using two = await startSignIns();
  // The ids of the tests' sessions are numbers. The second fleet must not know the first session of the other.
  await two.signIn("bob");
  const [own, other] = [(await one.cookieOf("ann")).cookie, (await two.cookieOf("ann")).cookie];
  // Browsers keep cookies by name, whatever the port.
  const jar = new Map([own, other].map((cookie) => [cookie.split("=")[0], cookie]));
  const both = { cookie: [...jar.values()].join("; ") };
  expect([await one.askAs(both), await two.askAs(both)]).toEqual([200, 200]);
  expect((await one.served.ask(path, { ...fromOurPage, ...both }, "DELETE")).status).toBe(200);
  expect([await one.askAs(both), await two.askAs(both)]).toEqual([401, 200]);
});

test("a browser that would not keep the cookie is told so", async () => {
  const world = createAccessWorld(subjectsOf(people), overview, false);
  await using served = await startServedFleet({ overview, access: world.access });
  const host = `127.0.0.1:${served.port}`;
  const body = JSON.stringify({ token: tokenOf("ann") });
  const signIn = (scheme: string) =>
    served.ask(
      path,
      { "content-type": "application/json", origin: `${scheme}://${host}`, host },
      "POST",
      body,
    );
  const refused = await signIn("http");
  expect([refused.status, parseJson(refused.body)]).toMatchObject([
    403,
    { field: "Origin", mend: expect.stringContaining("open the page by https") },
  ]);
  expect((await signIn("https")).status).toBe(200);
});

test("without Redis a session is not known, and a token still is", async () => {
  await using signs = await startSignIns();
  const ann = await signs.cookieOf("ann");
  signs.world.loseRedis();
  expect(await signs.askAs(ann)).toBe(503);
  expect((await signs.signIn("bob")).status).toBe(503);
  expect((await signs.served.ask(path, { authorization: `Bearer ${tokenOf("ci")}` })).status).toBe(200);
});

test("a browser is led to the sign-in and back; a program gets the refusal", async () => {
  await using signs = await startSignIns();
  const { headers, status } = await signs.served.ask("/history?since=1h", { accept: "text/html,*/*" });
  expect([status, headers.location]).toEqual([302, "/sign-in?then=%2Fhistory%3Fsince%3D1h"]);
  const program = await signs.served.ask("/history", { accept: "*/*" });
  expect([program.status, program.body]).toEqual([401, expect.stringContaining("sign in at /sign-in")]);
  const api = await signs.served.ask("/api/v1/status");
  expect(api.headers["www-authenticate"]).toBe("Bearer");
});

test("no token and no session is in a log, an answer or a session", async () => {
  await using signs = await startSignIns();
  const { cookie } = await signs.cookieOf("ann");
  const [, id = ""] = cookie.split("=");
  const canary = "canary-of-nobody";
  const answers = [
    await signs.give(JSON.stringify({ token: canary })),
    await signs.give(JSON.stringify({ token: tokenOf("ci") })),
    await signs.served.ask("/api/v1/status", { authorization: `Bearer ${canary}` }),
    await signs.served.ask("/api/v1/status", { authorization: `Bearer ${tokenOf("ci")}` }),
    await signs.served.ask(path, { cookie }),
  ];
  const told = JSON.stringify([signs.served.log.lines, answers, [...signs.world.sessions.held.values()]]);
  expect(told).toContain("a sign-in failed");
  for (const secret of [canary, tokenOf("ann"), tokenOf("ci"), id]) expect(told).not.toContain(secret);
});
