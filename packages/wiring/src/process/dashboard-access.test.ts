import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseJson } from "@fleet-reloader/domain/json";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { expect, test } from "vitest";
import { startAccessWorld } from "../fixture/guarded-dashboard.ts";

const own = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
const session = "/api/v1/session";

test("page and API answer who signs in at an address that others reach", async () => {
  await using world = await startAccessWorld();
  await using dashboard = await world.start("0.0.0.0", "--access-file", world.path);
  const { ask } = dashboard;
  expect((await ask("/")).headers.location).toBeUndefined();
  expect((await ask("/api/v1/clusters")).status).toBe(401);
  expect((await ask("/api/v1/clusters", { authorization: `Bearer ${world.tokens.ci}` })).status).toBe(200);
  const signed = await ask(session, own, "POST", JSON.stringify({ token: world.tokens.ann }));
  // Only over TLS, which a proxy may have ended.
  expect(String(signed.headers["set-cookie"])).toMatch(/^__Host-fleet-reloader-session=.*; Secure;/);
  const [cookie = ""] = String(signed.headers["set-cookie"]).split(";");
  expect(parseJson((await ask("/api/v1/clusters", { cookie })).body)).toMatchObject({ count: 1 });
  const [, id = ""] = cookie.split("=");
  const names = await world.client.connection.keys("*");
  const dump = await Promise.all(names.map((name) => world.client.connection.dump(name)));
  const inRedis = [...names, ...dump].join("\n");
  expect(inRedis).toContain(":session:");
  for (const secret of [id, ...Object.values(world.tokens)]) expect(inRedis).not.toContain(secret);
  await world.client.connection.flushall();
  expect((await ask("/api/v1/clusters", { cookie })).status).toBe(401);
});

test("whoever is signed in acts as their role says, and nobody else does", async () => {
  await using world = await startAccessWorld();
  world.write({ people: [world.entry("ann", "admin")], machines: [world.entry("ci")] });
  const freezeFile = join(world.folder, "freezes.yaml");
  const flags = ["--access-file", world.path, "--freeze-file", freezeFile];
  await using dashboard = await world.start("127.0.0.1", ...flags);
  const { ask } = dashboard;
  const signed = await ask(session, own, "POST", JSON.stringify({ token: world.tokens.ann }));
  const [cookie = ""] = String(signed.headers["set-cookie"]).split(";");
  const body = JSON.stringify({ fleet: true, reason: "incident 4711", until: "2h", expect: 0 });
  const freeze = (headers: Readonly<Record<string, string>>) =>
    ask("/api/v1/acts/freeze", headers, "POST", body);
  const json = { "content-type": "application/json" };
  expect((await freeze(json)).status).toBe(401);
  expect((await freeze(Object.assign({ authorization: `Bearer ${world.tokens.ci}` }, json))).status).toBe(
    403,
  );
  // A page of another site, with the cookie of this one.
  expect((await freeze(Object.assign({ cookie, origin: "https://elsewhere.example" }, json))).status).toBe(
    403,
  );
  expect(existsSync(freezeFile)).toBe(false);
  const done = await freeze(Object.assign({ cookie }, own));
  expect([done.status, parseJson(done.body)]).toMatchObject([200, { act: "freeze", isDone: true }]);
  expect(readFileSync(freezeFile, "utf8")).toMatch(/by: ann\n/);
});

test("a damaged access file is noted at /ready, and what it said before holds", async () => {
  await using world = await startAccessWorld();
  await using dashboard = await world.start("127.0.0.1", "--access-file", world.path);
  const bearer = { authorization: `Bearer ${world.tokens.ci}` };
  world.write({ machines: [{ name: "ci" }] });
  expect((await dashboard.ask("/api/v1/clusters", bearer)).status).toBe(200);
  const { body, status } = await dashboard.ready();
  expect(status).toBe(200);
  expect(body).toContain(`note: --access-file ${world.path}: machines[0].tokens: must be a list of hashes`);
  world.write({ people: [world.entry("ann")] });
  expect((await dashboard.ask("/api/v1/clusters", bearer)).status).toBe(401);
  expect((await dashboard.ready()).body).toBe("ready\n");
});

test("a missing access file ends the start, before anything is served", async () => {
  await using world = await startAccessWorld();
  const missing = join(world.folder, "none.yaml");
  await expect(world.start("127.0.0.1", "--access-file", missing)).rejects.toThrow(
    `--access-file ${missing}: it is missing`,
  );
});

test("without an access file everybody on this machine reads, and nobody signs in", async () => {
  await using world = await startAccessWorld();
  await using dashboard = await world.start("127.0.0.1");
  expect((await dashboard.ask("/api/v1/clusters")).status).toBe(200);
  expect(parseJson((await dashboard.ask(session)).body)).toEqual({ name: "" });
  const act = await dashboard.ask("/api/v1/acts/freeze", own, "POST", "{}");
  expect([act.status, parseJson(act.body)]).toMatchObject([403, { field: "caller" }]);
  const refused = await dashboard.ask(session, own, "POST", JSON.stringify({ token: world.tokens.ann }));
  expect([refused.status, parseJson(refused.body)]).toMatchObject([
    405,
    { mend: "start with --access-file to let people sign in" },
  ]);
});

test("the pages are served with the certificate of the files", async () => {
  await using world = await startAccessWorld();
  const [certFile, keyFile] = [join(world.folder, "tls.crt"), join(world.folder, "tls.key")];
  const { certificatePem, keyPem } = createLoopbackCertificate();
  writeFileSync(certFile, certificatePem);
  writeFileSync(keyFile, keyPem);
  const flags = ["--dashboard-tls-cert-file", certFile, "--dashboard-tls-key-file", keyFile];
  await using dashboard = await world.start("127.0.0.1", "--access-file", world.path, ...flags);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const where = { host: "127.0.0.1", port: dashboard.port, path: session, ca: certificatePem, agent: false };
  request(where, (response) => text(response).then(resolve, reject))
    .on("error", reject)
    .end();
  expect(parseJson(await promise)).toMatchObject({ code: "access.unauthenticated" });
  writeFileSync(certFile, "torn");
  await expect(world.start("127.0.0.1", ...flags)).rejects.toThrow(
    "--dashboard-tls-cert-file or --dashboard-tls-key-file: cannot be used",
  );
  await expect(world.start("127.0.0.1", ...flags.slice(0, 2))).rejects.toThrow(
    "--dashboard-tls-key-file is missing",
  );
});
