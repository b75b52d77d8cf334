import { parseJson } from "@fleet-reloader/domain/json";
import { expect, test } from "vitest";
import { tokenOf } from "../fixture/access-world.ts";
import { claimsOf, issuedDocument, startIssuedWorld, subjectsIn } from "../fixture/issued-world.ts";

const hourMs = 3_600_000;

test("somebody signs in with the issuer, is led on, and is known by name", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { address, back, cookie } = await signs.goAndComeBack("/changes?since=1h");
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    response_type: "code",
    scope: "openid email groups",
    code_challenge_method: "S256",
    redirect_uri: `http://127.0.0.1:${signs.served.port}/sign-in/callback`,
  });
  const { body, cookies, headers, status } = await signs.ask(back, {
    cookie,
    "sec-fetch-site": "cross-site",
  });
  expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(body).toContain('content="0;url=/changes?since=1h"');
  expect(headers["set-cookie"]).toEqual([
    expect.stringMatching(/^fleet-reloader-sign-in-\d+=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/),
    expect.stringMatching(
      /^fleet-reloader-session-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    ),
  ]);
  const session = await signs.ask("/api/v1/session", { cookie: cookies[1] ?? "" });
  expect(parseJson(session.body)).toEqual({ name: "ann@example.org" });
  expect(await signs.askAs(cookies[1] ?? "")).toBe(200);
});

test("sign-ins with an issuer on two ports of a host do not end each other", async () => {
  await using one = await startIssuedWorld();
  await using two = await startIssuedWorld();
  const [own, other] = [await one.goAndComeBack(), await two.goAndComeBack()];
  // Browsers keep cookies by name, whatever the port.
  const jar = new Map([own.cookie, other.cookie].map((cookie) => [cookie.split("=")[0], cookie]));
  one.issuer.next = claimsOf("ann@example.org");
  const { status } = await one.ask(own.back, { cookie: [...jar.values()].join("; ") });
  expect(status).toBe(200);
});

test("the page offers the issuer where there is one", async () => {
  await using signs = await startIssuedWorld();
  const { host } = new URL(signs.issuer.url);
  expect((await signs.ask("/sign-in")).body).toContain(`<meta name="sign-in-issuer" content="${host}">`);
});

test("the cookie of a sign-in is sent by TLS only, and the address back is https", async () => {
  await using signs = await startIssuedWorld({ isLocal: false });
  const begun = await signs.ask("/sign-in/issuer");
  expect(begun.headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^__Host-fleet-reloader-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    ),
  ]);
  const back = new URL(String(begun.headers.location)).searchParams.get("redirect_uri");
  expect(back).toBe(`https://127.0.0.1:${signs.served.port}/sign-in/callback`);
  const redirectUrl = new URL("https://reloader.example.org/sign-in/callback");
  await using proxied = await startIssuedWorld({ isLocal: false, redirectUrl });
  expect((await proxied.goAndComeBack()).address.searchParams.get("redirect_uri")).toBe(redirectUrl.href);
  proxied.issuer.next = claimsOf("ann@example.org");
  expect((await proxied.signIn()).session).toMatch(/^__Host-/);
});

test("who has no grant is told so, with the name and the groups that were seen", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("eve@example.org", "dev", "<b>qa</b>");
  const { body, session, status } = await signs.signIn();
  expect([status, session]).toEqual([403, ""]);
  expect(body).toContain("nothing is granted to you: you are known as eve@example.org");
  expect(body).toContain("the groups dev, &lt;b&gt;qa&lt;/b&gt;");
  expect(signs.world.sessions.held.size).toBe(0);
});

test("nobody is known by the name of a machine, nor by a group of that name", async () => {
  await using signs = await startIssuedWorld();
  const grants = [{ role: "admin", clusters: "*", namespaces: "*" }];
  const tokens = [`sha256:${"0".repeat(64)}`];
  signs.world.replace(
    subjectsIn({ machines: [{ name: "ci@example.org", tokens, grants }], groups: issuedDocument.groups }),
  );
  signs.issuer.next = claimsOf("ci@example.org", "ops");
  expect((await signs.signIn()).status).toBe(403);
  signs.issuer.next = claimsOf("eve@example.org", "ci@example.org");
  expect((await signs.signIn()).status).toBe(403);
});

const now = Math.floor(Date.now() / 1000);
const rightClaims = claimsOf("ann@example.org").claims;
const wrongTokens: readonly (readonly [string, Readonly<Record<string, unknown>>, boolean])[] = [
  ["another nonce", { nonce: "other" }, false],
  ["another audience", { aud: "other" }, false],
  ["several audiences, and another party", { aud: ["fleet-reloader", "other"], azp: "other" }, false],
  ["another issuer", { iss: "https://other.example" }, false],
  ["a time that is over", { iat: now - 7200, exp: now - 3600 }, false],
  ["a time to come", { nbf: now + 3600 }, false],
  ["no subject", { sub: undefined }, false],
  ["a signature of another key", {}, true],
];

test.each(wrongTokens)("an ID token with %s signs nobody in", async (_, wrong, isForged) => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = { claims: Object.assign({}, rightClaims, wrong), isForged };
  const { body, session, status } = await signs.signIn();
  expect([status, session]).toEqual([401, ""]);
  expect(body).toContain("the answer of the issuer cannot be trusted");
  expect(signs.world.sessions.held.size).toBe(0);
});

const unsaid: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ["an address that is not verified", { email_verified: false }, "has not verified the address"],
  ["an address without a word of that", { email_verified: undefined }, "has not verified the address"],
  ["no address", { email: undefined }, "--oidc-username-claim"],
  ["a name with a line break", { email: "ann\nbob" }, "it is no name"],
  [
    "very many groups",
    { groups: Array.from({ length: 1001 }, (_, at) => `g${at}`) },
    "more than 1000 groups",
  ],
];

test.each(unsaid)("%s is no name to sign in with, and the mend is told", async (_, wrong, told) => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = { claims: Object.assign({}, rightClaims, wrong) };
  const { body, session, status } = await signs.signIn();
  expect([status, session]).toEqual([403, ""]);
  expect(body).toContain(told);
});

test("an issuer whose clock is a little ahead signs people in", async () => {
  await using signs = await startIssuedWorld();
  const seconds = Math.floor(Date.now() / 1000);
  signs.issuer.next = { claims: Object.assign({}, rightClaims, { iat: seconds + 30, nbf: seconds + 30 }) };
  expect((await signs.signIn()).status).toBe(200);
});

test("another state, another browser and a cookie that is forged sign nobody in", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const mine = await signs.goAndComeBack();
  const other = await signs.goAndComeBack();
  const [name = "", kept = ""] = mine.cookie.split("=");
  for (const [back, cookie] of [
    [mine.back, other.cookie],
    [mine.back, ""],
    [mine.back, `${name}=${kept.slice(0, -4)}AAAA`],
    [mine.back, `${name}=${signs.sealOf("session").seal("{}", "")}`],
    [mine.back.replace(/state=[^&]*/, "state=x"), mine.cookie],
    [mine.back.replace(/state=[^&]*/, ""), mine.cookie],
    ["/sign-in/callback?error=access_denied", mine.cookie],
    ["/sign-in/callback", mine.cookie],
  ] as const) {
    const answer = await signs.ask(back, { cookie });
    expect([answer.status, answer.cookies], back).toEqual([401, [`${name}=`]]);
  }
  expect(signs.world.sessions.held.size).toBe(0);
});

test("a code that was used, or a sign-in of ten minutes ago, signs nobody in", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { back, cookie } = await signs.goAndComeBack();
  expect((await signs.ask(back, { cookie })).status).toBe(200);
  const again = await signs.ask(back, { cookie });
  expect([again.status, again.body]).toEqual([401, expect.stringContaining("it was used before")]);
  const late = await signs.goAndComeBack();
  await signs.clock.advance(600_000);
  const answer = await signs.ask(late.back, { cookie: late.cookie });
  expect([answer.status, answer.body]).toEqual([401, expect.stringContaining("no sign-in is under way")]);
});

test("a refusal of the issuer is told in its words, and not as markup", async () => {
  await using signs = await startIssuedWorld();
  const { address, cookie } = await signs.goAndComeBack();
  const query = new URLSearchParams({ error: "<b>denied", state: address.searchParams.get("state") ?? "" });
  const { body, status } = await signs.ask(`/sign-in/callback?${query.toString()}`, { cookie });
  expect(status).toBe(401);
  expect(body).toContain("the issuer has refused the sign-in (&lt;b&gt;denied)");
});

const elsewhere = [
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "/\t/evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  `/${"x".repeat(2000)}`,
];

test.each(elsewhere)("a sign-in leads to no other site: %o", async (then) => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { body, status } = await signs.signIn(then);
  expect(status).toBe(200);
  const [, onward = ""] = /content="0;url=([^"]*)"/.exec(body) ?? [];
  expect(onward).toMatch(/^\/(?![/\\])/);
  expect(new URL(onward, "http://here.invalid").origin).toBe("http://here.invalid");
  expect(onward).not.toContain("//evil");
});

test("neither the page of another site nor another method begins a sign-in", async () => {
  await using signs = await startIssuedWorld();
  expect((await signs.ask("/sign-in/issuer", { "sec-fetch-site": "cross-site" })).status).toBe(403);
  for (const path of ["/sign-in/issuer", "/sign-in/callback"])
    for (const method of ["HEAD", "POST"])
      expect((await signs.served.ask(path, {}, method)).status).toBe(405);
  expect(signs.issuer.asked).toEqual([]);
});

test("an issuer that is away ends nothing, and is asked again after a moment", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = claimsOf("ann@example.org");
  const { session } = await signs.signIn();
  // The discovery is repeated after an hour.
  await signs.clock.advance(hourMs);
  signs.issuer.isAway = true;
  const away = await signs.ask("/sign-in/issuer");
  expect([away.status, away.cookies]).toEqual([503, []]);
  expect(away.body).toContain("What to do");
  const { length } = signs.issuer.asked;
  expect((await signs.ask("/sign-in/issuer")).status).toBe(503);
  expect(signs.issuer.asked).toHaveLength(length);
  expect(await signs.askAs(session)).toBe(200);
  signs.issuer.isAway = false;
  await signs.clock.advance(1000);
  expect((await signs.ask("/sign-in/issuer")).status).toBe(302);
});

test("an issuer that never answers is told as one that is away", async () => {
  await using signs = await startIssuedWorld({ askSeconds: 0.05 });
  signs.issuer.isHung = true;
  const { body, status } = await signs.ask("/sign-in/issuer");
  expect([status, body]).toEqual([503, expect.stringContaining("does not answer (no answer in time)")]);
});

test("an issuer that is away in the midst of a sign-in is told as that", async () => {
  await using signs = await startIssuedWorld();
  const { back, cookie } = await signs.goAndComeBack();
  signs.issuer.isAway = true;
  const answer = await signs.ask(back, { cookie });
  expect([answer.status, answer.body]).toEqual([503, expect.stringContaining("--oidc-issuer-url")]);
});

test("no code, token, secret or session id is in a log, an answer or a session", async () => {
  await using signs = await startIssuedWorld();
  signs.issuer.next = { claims: rightClaims, isForged: true };
  const failed = await signs.goAndComeBack();
  await signs.ask(failed.back, { cookie: failed.cookie });
  signs.issuer.next = claimsOf("ann@example.org", "a-group-of-hers");
  const { back, cookie } = await signs.goAndComeBack();
  const answer = await signs.ask(back, { cookie });
  const told = JSON.stringify([signs.served.log.lines, [...signs.world.sessions.held.values()], answer.body]);
  expect(told).toContain("a sign-in with the issuer failed");
  const [, id = "none"] = answer.cookies[1]?.split("=") ?? [];
  const codes = [failed.back, back].map(
    (path) => new URLSearchParams(path.split("?")[1]).get("code") ?? "none",
  );
  for (const secret of [id, tokenOf("ann"), "a-secret-of-the-issuer", "a-group-of-hers", ...codes])
    expect(told).not.toContain(secret);
});
