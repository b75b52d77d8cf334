import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { parseJson } from "@fleet-reloader/domain/json";
import {
  type Certificate,
  createLoopbackCertificate,
} from "@fleet-reloader/testkit/sim-api/http/certificate";
import { issuerClient, startIssuer } from "@fleet-reloader/testkit/sim-issuer";
import { expect, test } from "vitest";
import { startAccessWorld } from "../fixture/guarded-dashboard.ts";

type AccessWorld = Awaited<ReturnType<typeof startAccessWorld>>;
const grants = [{ role: "viewer", clusters: "*", namespaces: "*" }];

/** Writes a file of the world and returns its path. */
function fileIn(world: AccessWorld, name: string, content: string): string {
  const path = join(world.folder, name);
  writeFileSync(path, content);
  return path;
}

/** The flags of a page on which people sign in with an issuer. */
function oidcFlags(world: AccessWorld, issuerUrl: string, secret: string = issuerClient.secret) {
  const flags = ["--access-file", world.path, "--oidc-issuer-url", issuerUrl];
  const client = ["--oidc-client-id", issuerClient.id];
  return [...flags, ...client, "--oidc-client-secret-file", fileIn(world, "client-secret", `${secret}\n`)];
}

test("a group of an issuer with a certificate of its own signs in at a dashboard", async () => {
  const certificate = createLoopbackCertificate();
  await using started = await startIssuer(certificate);
  await using world = await startAccessWorld();
  const { issuer } = started;
  issuer.next = { claims: { email: "bob@example.org", email_verified: true, groups: ["/ops"] } };
  world.write({ groups: [{ name: "/ops", grants }] });
  const ca = ["--oidc-ca-file", fileIn(world, "issuer.crt", certificate.certificatePem)];
  const flags = oidcFlags(world, issuer.url);
  const signIn = async (ask: Awaited<ReturnType<AccessWorld["start"]>>["ask"]) => {
    const begun = await ask("/sign-in/issuer?then=/clusters");
    if (begun.status !== 302) return { status: begun.status, body: begun.body, id: "" };
    const [kept = ""] = String(begun.headers["set-cookie"]).split(";");
    const { pathname, search } = issuer.signIn(new URL(String(begun.headers.location)));
    const back = await ask(`${pathname}${search}`, { cookie: kept });
    const [, id = ""] = /fleet-reloader-session-\d+=([\w-]+);/.exec(String(back.headers["set-cookie"])) ?? [];
    return { status: back.status, body: back.body, id };
  };
  await using unknowing = await world.start("127.0.0.1", ...flags);
  const refused = await signIn(unknowing.ask);
  expect([refused.status, refused.body]).toEqual([503, expect.stringContaining("--oidc-ca-file")]);
  await using dashboard = await world.start("127.0.0.1", ...flags, ...ca);
  const { id, status } = await signIn(dashboard.ask);
  // The name of the cookie contains the port; behind one address it is the same.
  const cookieOf = ({ port }: { readonly port: number | undefined }) => ({
    cookie: `fleet-reloader-session-${port}=${id}`,
  });
  expect(status).toBe(200);
  expect(parseJson((await dashboard.ask("/api/v1/session", cookieOf(dashboard))).body)).toEqual({
    name: "bob@example.org",
  });
  // Any dashboard with the same client knows the session; one with another client, or without one, does not.
  expect((await unknowing.ask("/api/v1/clusters", cookieOf(unknowing))).status).toBe(200);
  const names = await world.client.connection.keys("*:session:*");
  const records = await world.client.connection.mget(...names);
  for (const secret of [id, "/ops", issuerClient.secret]) expect(records.join()).not.toContain(secret);
  await using other = await world.start("127.0.0.1", ...oidcFlags(world, issuer.url, "another-secret-of-it"));
  expect((await other.ask("/api/v1/clusters", cookieOf(other))).status).toBe(401);
});

test("the page starts while the issuer is away, and tokens sign in", async () => {
  await using world = await startAccessWorld();
  await using dashboard = await world.start("127.0.0.1", ...oidcFlags(world, "http://127.0.0.1:1"));
  const away = await dashboard.ask("/sign-in/issuer");
  expect([away.status, away.body]).toEqual([503, expect.stringContaining("127.0.0.1:1 does not answer")]);
  const bearer = { authorization: `Bearer ${world.tokens.ann}` };
  expect((await dashboard.ask("/api/v1/clusters", bearer)).status).toBe(200);
});

test("groups that nobody can be known as are noted at /ready", async () => {
  await using world = await startAccessWorld();
  world.write({ groups: [{ name: "ops", grants }] });
  await using unknowing = await world.start("127.0.0.1", "--access-file", world.path);
  expect((await unknowing.ready()).body).toContain(
    "note: --access-file: nobody is known as one of its groups",
  );
  await using knowing = await world.start("127.0.0.1", ...oidcFlags(world, "http://127.0.0.1:1"));
  expect((await knowing.ready()).body).toBe("ready\n");
});

test("flags of a sign-in that are not whole end the start, and name the mend", async () => {
  await using world = await startAccessWorld();
  const issuer = ["--oidc-issuer-url", "https://issuer.example"];
  const access = ["--access-file", world.path];
  const short = ["--oidc-client-secret-file", fileIn(world, "short", "hunter2")];
  const client = ["--oidc-client-id", "a"];
  const ca = ["--forward-auth-client-ca-file", fileIn(world, "ca.crt", "")];
  const names = ["--forward-auth-proxy-names", "proxy"];
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["--oidc-issuer-url", "http://issuer.example"], "write https://host/path"],
    [issuer, "needs --access-file and --oidc-client-id and --oidc-client-secret-file: give them too"],
    [[...issuer, ...access, ...client, ...short], "it has fewer than 16 characters"],
    [[...issuer, ...access, ...client, "--oidc-client-secret-file", "/none"], "cannot be read (ENOENT)"],
    [client, "--oidc-issuer-url is missing"],
    [[...access, ...names], "--forward-auth-client-ca-file is missing: anybody could send the headers"],
    [[...access, ...ca, ...names], "needs --dashboard-tls-cert-file: give it too"],
    [[...access, ...ca], "--forward-auth-proxy-names"],
    [["--forward-auth-user-header", "Cookie"], "is no header that a proxy may say it in"],
  ];
  for (const [flags, problem] of cases)
    await expect(async () => world.start("127.0.0.1", ...flags), problem).rejects.toThrow(problem);
});

/** The credentials of a client connection. */
interface ShownIdentity extends Partial<Certificate> {
  /** The session of an earlier connection, which this one resumes. */
  readonly session?: Buffer | undefined;
}

/** A page with TLS behind a proxy, and a way to send it requests with a certificate. */
async function startBehindProxy(world: AccessWorld, proxy: Certificate, names = "sim-api") {
  const server = createLoopbackCertificate();
  const tls = ["--dashboard-tls-cert-file", fileIn(world, "tls.crt", server.certificatePem)];
  const key = ["--dashboard-tls-key-file", fileIn(world, "tls.key", server.keyPem)];
  const ca = ["--forward-auth-client-ca-file", fileIn(world, "proxy.crt", proxy.certificatePem)];
  const trusted = [...ca, "--forward-auth-proxy-names", names];
  const dashboard = await world.start("127.0.0.1", "--access-file", world.path, ...tls, ...key, ...trusted);
  const askWith = async (
    shown: ShownIdentity | undefined,
    headers: Readonly<Record<string, string>>,
    path = "/api/v1/session",
    method = "GET",
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    const where = { host: "127.0.0.1", port: dashboard.port, path, method, headers, agent: false };
    const certificates = { ca: server.certificatePem, cert: shown?.certificatePem, key: shown?.keyPem };
    let session: Buffer | undefined;
    let isResumed = false;
    request(Object.assign(where, certificates, { session: shown?.session }), (response) => {
      isResumed = response.socket instanceof TLSSocket && response.socket.isSessionReused();
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
      .on("error", reject)
      .on("socket", (socket) =>
        socket.on("session", (given: Buffer) => {
          session = given;
        }),
      )
      .end();
    return Object.assign(await promise, { session, isResumed });
  };
  return { askWith, [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose]() };
}

test("only a proxy that shows its certificate says who asks", async () => {
  await using world = await startAccessWorld();
  world.write({ people: [{ name: "ann@example.org", grants }], groups: [{ name: "ops", grants }] });
  const proxy = createLoopbackCertificate();
  await using page = await startBehindProxy(world, proxy);
  const { askWith } = page;
  const ann = { "X-Forwarded-Email": "ann@example.org" };
  const bob = { "X-Forwarded-Email": "bob@example.org", "X-Forwarded-Groups": "dev, ops" };
  expect(parseJson((await askWith(proxy, ann)).body)).toEqual({ name: "ann@example.org" });
  expect(parseJson((await askWith(proxy, bob)).body)).toEqual({ name: "bob@example.org" });
  for (const shown of [undefined, createLoopbackCertificate()])
    for (const headers of [ann, bob]) expect((await askWith(shown, headers)).status).toBe(401);
  expect((await askWith(proxy, {})).status).toBe(401);
  const eve = { "X-Forwarded-Email": "eve@example.org", "X-Forwarded-Groups": "dev" };
  const refused = await askWith(proxy, eve);
  expect([refused.status, refused.body]).toEqual([
    403,
    expect.stringContaining("you are known as eve@example.org"),
  ]);
  // Somebody has put a name before that of the proxy.
  expect((await askWith(proxy, { "X-Forwarded-Email": "eve@example.org, ann@example.org" })).status).toBe(
    403,
  );
});

test("a certificate of the authority that is not the proxy's says nothing", async () => {
  await using world = await startAccessWorld();
  world.write({ people: [{ name: "ann@example.org", grants }] });
  const proxy = createLoopbackCertificate();
  await using page = await startBehindProxy(world, proxy, "the-proxy");
  expect((await page.askWith(proxy, { "X-Forwarded-Email": "ann@example.org" })).status).toBe(401);
});

test("a session that began without a certificate is nobody's", async () => {
  await using world = await startAccessWorld();
  world.write({ people: [{ name: "ann@example.org", grants }] });
  await using page = await startBehindProxy(world, createLoopbackCertificate(), "*");
  const ann = { "X-Forwarded-Email": "ann@example.org" };
  const { session, status } = await page.askWith(undefined, ann);
  expect(status).toBe(401);
  expect(await page.askWith({ session }, ann)).toMatchObject({ isResumed: true, status: 401 });
});

test("a proxy that resumes a session says who asks", async () => {
  await using world = await startAccessWorld();
  world.write({ people: [{ name: "ann@example.org", grants }] });
  const proxy = createLoopbackCertificate();
  for (const names of ["*", "sim-api"]) {
    await using page = await startBehindProxy(world, proxy, names);
    const ann = { "X-Forwarded-Email": "ann@example.org" };
    const { session } = await page.askWith(proxy, ann);
    const { certificatePem, keyPem } = proxy;
    const resumed = await page.askWith({ certificatePem, keyPem, session }, ann);
    expect(resumed).toMatchObject({ isResumed: true, status: 200 });
  }
});

test("the page of another site changes nothing through the proxy", async () => {
  await using world = await startAccessWorld();
  const admin = [{ role: "admin", clusters: "*", namespaces: "*" }];
  world.write({ people: [{ name: "ann@example.org", grants: admin }] });
  const proxy = createLoopbackCertificate();
  await using page = await startBehindProxy(world, proxy);
  const ann = { "X-Forwarded-Email": "ann@example.org", "Content-Type": "application/json" };
  const act = (headers: Readonly<Record<string, string>>) =>
    page.askWith(proxy, Object.assign({}, ann, headers), "/api/v1/acts/freeze", "POST");
  for (const headers of [{}, { Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }])
    expect((await act(headers)).status).toBe(403);
  // A request of our own page is accepted and read: it has no body.
  expect((await act({ "Sec-Fetch-Site": "same-origin" })).status).toBe(400);
});
