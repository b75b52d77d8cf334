import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
import { ruleFields } from "@fleet-reloader/runtime/config/fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeEach, expect, test } from "vitest";
import { serveAudit } from "./serve-audit.ts";

type Certificate = ReturnType<typeof createLoopbackCertificate>;

const folder = mkdtempSync(join(tmpdir(), "fr-serve-audit-"));
const redis = await startRedis();
const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const [certFile, keyFile, caFile] = ["tls.crt", "tls.key", "ca.crt"].map((name) => join(folder, name));
const args = [
  ...["--audit-listen-address", "127.0.0.1:0", "--audit-client-ca-file", String(caFile)],
  ...["--audit-tls-cert-file", String(certFile), "--audit-tls-key-file", String(keyFile)],
];
const first = createLoopbackCertificate();
beforeEach(() => write(first));

/** The certificate of the listener, which is the authority of the senders, too. */
function write({ certificatePem, keyPem }: Certificate): void {
  writeFileSync(String(certFile), certificatePem);
  writeFileSync(String(caFile), certificatePem);
  writeFileSync(String(keyFile), keyPem);
}

async function serve(flags: readonly string[]) {
  const log = new CollectedLog();
  const clock = new ManualClock();
  const listening = await serveAudit({
    config: loadConfig(hintFields, { args: flags, env: {} }),
    fleet: { named: () => undefined },
    settings: settingsOf(loadConfig(ruleFields, { args: [], env: {} })),
    keys: new Keys("audit"),
    meter: new CountingMeter(),
    client,
    clock,
    log,
  });
  if (listening === undefined) throw new Error("it does not listen");
  return { clock, log, port: listening.port, [Symbol.asyncDispose]: () => listening.close() };
}

async function servedAt(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** What the listener answers to events of whoever has this certificate: 401, or 503 since no cluster has its name. */
async function answerTo({ certificatePem, keyPem }: Certificate, port: number): Promise<number> {
  const call = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    cert: certificatePem,
    key: keyPem,
    rejectUnauthorized: false,
    agent: false,
  });
  const [response] = await once(call.end("{}"), "response");
  response.resume();
  return response.statusCode;
}

test("a renewed certificate and authority are used without a restart", async () => {
  await using audit = await serve(args);
  const renewed = createLoopbackCertificate();
  const fingerprint = ({ certificatePem }: Certificate) => new X509Certificate(certificatePem).fingerprint256;
  expect(await servedAt(audit.port)).toBe(fingerprint(first));
  expect([await answerTo(first, audit.port), await answerTo(renewed, audit.port)]).toEqual([503, 401]);
  write(renewed);
  await audit.clock.advance(60_000);
  await until("it is served", async () => (await servedAt(audit.port)) === fingerprint(renewed));
  expect([await answerTo(first, audit.port), await answerTo(renewed, audit.port)]).toEqual([401, 503]);
});

test("files that make no listener with TLS are refused with the flag", async () => {
  const without = (flag: string) => args.toSpliced(args.indexOf(flag), 2);
  await expect(serve(without("--audit-tls-cert-file"))).rejects.toThrow("--audit-tls-cert-file");
  await expect(serve(without("--audit-tls-key-file"))).rejects.toThrow("--audit-tls-key-file");
  await expect(
    serve([...without("--audit-client-ca-file"), "--audit-client-ca-file", "/none"]),
  ).rejects.toThrow("--audit-client-ca-file /none");
  writeFileSync(String(certFile), "torn");
  await expect(serve(args)).rejects.toThrow("--audit-tls-cert-file");
});
