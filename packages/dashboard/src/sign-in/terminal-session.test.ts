import { jsonText, parseJson } from "@fleet-reloader/domain/json";
import { challengeOfVerifier, terminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";
import { expect, test } from "vitest";
import {
  createAccessWorld,
  fromOurPage,
  subjectsOf,
  tokenOf,
  type WrittenGrant,
} from "../fixture/access-world.ts";
import { claimsOf, startIssuedWorld } from "../fixture/issued-world.ts";
import { fleetOf, overviewOf, startServedFleet } from "../fixture/served-fleet.ts";
import { terminalSessionId } from "./terminal-session.ts";

const everywhere = { clusters: "*", namespaces: "*" } as const;
const reads: readonly WrittenGrant[] = [{ role: "viewer", ...everywhere }];
const people = { ann: reads, bob: reads };
const overview = fleetOf([overviewOf("nova")]);
const path = "/api/v1/session/terminal";

type Served = Awaited<ReturnType<typeof startServedFleet>>;

/** A terminal that signs in at a served fleet. */
function terminalAt(served: Pick<Served, "ask">) {
  const verifier = makeToken();
  const challenge = challengeOfVerifier(verifier);
  return {
    verifier,
    challenge,
    /** A person's page lets the terminal in. The answer has its token. */
    async letIn(cookie: string, headers: Readonly<Record<string, string>> = fromOurPage) {
      const { body, status } = await served.ask(
        path,
        { ...headers, cookie },
        "POST",
        JSON.stringify({ challenge }),
      );
      const code = jsonText(parseJson(body), "code") ?? "";
      return { body, status, code, token: terminalToken(code, verifier) };
    },
  };
}

async function startTerminals(first = subjectsOf(people)) {
  const world = createAccessWorld(first, overview);
  const served = await startServedFleet({ overview, access: world.access });
  return {
    world,
    served,
    terminal: terminalAt(served),
    async cookieOf(name: string) {
      const given = JSON.stringify({ token: tokenOf(name) });
      const { headers } = await served.ask("/api/v1/session", fromOurPage, "POST", given);
      const [cookie = ""] = String(headers["set-cookie"]).split(";");
      return cookie;
    },
    askAs: async (token: string) => await served.ask("/api/v1/session", { authorization: `Bearer ${token}` }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

test("a terminal that a person lets in is that person, also without the browser", async () => {
  await using its = await startTerminals();
  const cookie = await its.cookieOf("ann");
  const { body, code, status, token } = await its.terminal.letIn(cookie);
  expect([status, parseJson(body)]).toEqual([200, { name: "ann", code }]);
  expect(parseJson((await its.askAs(token)).body)).toEqual({ name: "ann" });
  await its.served.ask("/api/v1/session", { ...fromOurPage, cookie }, "DELETE");
  expect((await its.askAs(token)).status).toBe(200);
});

test("the code is worth nothing without the verifier of the terminal", async () => {
  await using its = await startTerminals();
  const { code, token } = await its.terminal.letIn(await its.cookieOf("ann"));
  const id = terminalSessionId(token) ?? "";
  const others = [
    code,
    id,
    terminalToken(code, makeToken()),
    terminalToken(code, its.terminal.challenge),
    terminalToken(its.terminal.verifier, code),
    `${token}.`,
  ];
  for (const other of others) expect((await its.askAs(other)).status).toBe(401);
  const name = `fleet-reloader-session-${its.served.port}`;
  for (const text of [code, id, token, id.replace(".", "")]) {
    const { status } = await its.served.ask("/api/v1/session", { cookie: `${name}=${text}` });
    expect(status).toBe(401);
  }
});

test("what Redis keeps of it signs nobody in", async () => {
  await using its = await startTerminals();
  const { code, token } = await its.terminal.letIn(await its.cookieOf("ann"));
  const kept = JSON.stringify([...its.world.sessions.held.values()]);
  for (const secret of [code, its.terminal.verifier, its.terminal.challenge, tokenOf("ann")])
    expect(kept).not.toContain(secret);
  // A writer of Redis who moves the session to their own terminal gets no session.
  const [, moved] = [...its.world.sessions.held];
  const own = terminalToken(code, makeToken());
  its.world.sessions.held.set(terminalSessionId(own) ?? "", moved?.[1] ?? { name: "", proof: "", endMs: 0 });
  expect([(await its.askAs(own)).status, (await its.askAs(token)).status]).toEqual([401, 200]);
});

test("it ends when it signs out, and when the token of its person is taken out", async () => {
  await using its = await startTerminals();
  const cookie = await its.cookieOf("ann");
  const [first, second] = [await its.terminal.letIn(cookie), await its.terminal.letIn(cookie)];
  const authorization = `Bearer ${first.token}`;
  expect((await its.served.ask("/api/v1/session", { authorization }, "DELETE")).status).toBe(200);
  const ended = await its.askAs(first.token);
  expect([ended.status, ended.body]).toEqual([401, expect.stringContaining("has ended")]);
  expect((await its.askAs(second.token)).status).toBe(200);
  its.world.replace(subjectsOf({ bob: reads }));
  expect((await its.askAs(second.token)).status).toBe(401);
  its.world.replace(subjectsOf(people));
  expect((await its.askAs(second.token)).status).toBe(401);
});

const foreign: readonly Readonly<Record<string, string>>[] = [
  { "content-type": "application/json", "sec-fetch-site": "cross-site" },
  { "content-type": "application/json", "sec-fetch-site": "none" },
  { "content-type": "application/json", origin: "https://evil.example" },
  { "content-type": "text/plain", "sec-fetch-site": "same-origin" },
];

test.each(foreign)("the page of another site lets no terminal in: %o", async (headers) => {
  await using its = await startTerminals();
  expect((await its.terminal.letIn(await its.cookieOf("ann"), headers)).status).toBe(403);
  expect(its.world.sessions.held.size).toBe(1);
});

test("nobody lets a terminal in who has no session of a browser", async () => {
  await using its = await startTerminals();
  const { token } = await its.terminal.letIn(await its.cookieOf("ann"));
  for (const authorization of ["", `Bearer ${tokenOf("ann")}`, `Bearer ${token}`]) {
    const headers = { ...fromOurPage, authorization };
    const body = JSON.stringify({ challenge: its.terminal.challenge });
    expect((await its.served.ask(path, headers, "POST", body)).status).toBe(401);
  }
});

const wrongChallenges = [
  ["empty", ""],
  ["short", "short"],
  ["of other characters", `${"a".repeat(42)}=`],
  ["long", "a".repeat(44)],
  ["very long", "x".repeat(5000)],
] as const;

test.each(wrongChallenges)("a challenge that is %s is refused with the mend", async (_, challenge) => {
  await using its = await startTerminals();
  const cookie = await its.cookieOf("ann");
  const body = JSON.stringify({ challenge });
  const answer = await its.served.ask(path, { ...fromOurPage, cookie }, "POST", body);
  expect(answer.status).toBe(400);
  expect(its.world.sessions.held.size).toBe(1);
  expect((await its.served.ask(path, { cookie })).status).toBe(405);
});

test("where nobody signs in, and where a proxy does it, no terminal is let in", async () => {
  await using open = await startServedFleet({ overview });
  expect((await terminalAt(open).letIn("")).body).toContain("start with --access-file");
  const proxied = () => ({ name: "ann", groups: [] });
  const { access } = createAccessWorld(subjectsOf(people), overview, true, { proxied });
  await using served = await startServedFleet({ overview, access });
  const { body, status } = await terminalAt(served).letIn("");
  expect([status, body]).toEqual([403, expect.stringContaining("a proxy signs people in here")]);
});

test("with an issuer it has the groups of the sign-in, and ends with it", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("eve@example.org", "ops");
  const { session } = await signs.signIn();
  await signs.clock.advance(7 * 3_600_000);
  const { status, token } = await terminalAt(signs.served).letIn(session);
  expect(status).toBe(200);
  const ask = async () => (await signs.ask("/api/v1/clusters", { authorization: `Bearer ${token}` })).status;
  expect(await ask()).toBe(200);
  await signs.clock.advance(3_600_000 - 1);
  expect(await ask()).toBe(200);
  await signs.clock.advance(1);
  expect(await ask()).toBe(401);
  expect(signs.world.sessions.held.size).toBe(1);
});
