import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseJson } from "@fleet-reloader/domain/json";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { makeToken, tokenDigest, writeTokenDigest } from "@fleet-reloader/runtime/access/token-digest";
import { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { brakeFields } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { webhookModeFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { askAs } from "@fleet-reloader/testkit/ask-as";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { expect, test } from "vitest";
import { startDashboard } from "./start-dashboard.ts";

const shape = {
  ...connectionFields,
  ...fleetFields,
  ...ruleFields,
  ...workerFields,
  ...webhookModeFields,
  ...freezeFields,
  ...brakeFields,
  ...dashboardFields,
} as const;

const own = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
const session = "/api/v1/session";

/** A Redis that a fleet of one cluster uses, an access file, and a way to start a dashboard. */
async function startAccessWorld() {
  const redis = await startRedis();
  const folder = mkdtempSync(join(tmpdir(), "fr-access-world-"));
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const keys = new Keys("fleet-reloader");
  await guardShards({ client, keys });
  const listed = { labels: {}, status: { state: "Ready", why: [] } } as const;
  await new RedisClusterList({ client, keys }).put([{ name: "nova", id: "uid-nova", ...listed }]);
  // Nobody writes the list again here.
  await client.connection.persist(keys.fleet.clusters);
  const path = join(folder, "access.yaml");
  const tokens = { ann: makeToken(), ci: makeToken() };
  const entry = (name: keyof typeof tokens) => ({
    name,
    tokens: [writeTokenDigest(tokenDigest(tokens[name]))],
    grants: [{ role: "viewer", clusters: "*", namespaces: "*" }],
  });
  const write = (document: object) => writeFileSync(path, JSON.stringify(document));
  write({ people: [entry("ann")], machines: [entry("ci")] });
  return {
    redis,
    client,
    folder,
    path,
    tokens,
    write,
    entry,
    async start(host: string, ...flags: readonly string[]) {
      const args = [
        ...["--listen-address", "127.0.0.1:0", "--dashboard-address", `${host}:0`, "--log-level", "error"],
        ...["--data-dir", folder, "--redis-url", redis.url, "--kubeconfig-dir", folder, ...flags],
      ];
      const sources = { args, env: {} };
      const running = await startDashboard({ shape, config: loadConfig(shape, sources), sources });
      const { ports } = running;
      return {
        port: ports.dashboard,
        ask: (asked: string, headers: Readonly<Record<string, string>> = {}, method = "GET", body = "") =>
          askAs({ port: ports.dashboard, path: asked, headers, method, body }),
        ready: () => askAs({ port: ports.health, path: "/ready", headers: {} }),
        [Symbol.asyncDispose]: () => running.stop(),
      };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await redis[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

test("page and API answer who signs in at an address that others reach", async () => {
  await using world = await startAccessWorld();
  await using dashboard = await world.start("0.0.0.0", "--access-file", world.path);
  const { ask } = dashboard;
  expect((await ask("/")).headers.location).toBeUndefined();
  expect((await ask("/api/v1/clusters")).status).toBe(401);
  expect((await ask("/api/v1/clusters", { authorization: `Bearer ${world.tokens.ci}` })).status).toBe(200);
  const signed = await ask(session, own, "POST", JSON.stringify({ token: world.tokens.ann }));
  // Only by TLS, which a proxy may have ended.
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
