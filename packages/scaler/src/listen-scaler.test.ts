import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { type Work, workOf } from "@fleet-reloader/engine/admission/work";
import type { TlsFiles } from "@fleet-reloader/runtime/http/tls-files";
import { type AskingObject, callScaler } from "@fleet-reloader/testkit/keda-call";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { afterEach, expect, test, vi } from "vitest";
import { ExternalScaler } from "./external-scaler-proto.ts";
import { listenScaler } from "./listen-scaler.ts";

const noTls: TlsFiles = { certFile: "", keyFile: "", clientCaFile: "" };
/** KEDA's description of a ScaledObject: the whole metadata of its trigger. */
const asking: AskingObject = {
  name: "worker",
  namespace: "reloader",
  metadata: { scalerAddress: "watcher.reloader.svc:9095", targetValue: "25" },
};
const scaledObject = { name: asking.name, namespace: asking.namespace, scalerMetadata: asking.metadata };
/** A machine that is busy with other things. */
const patience = { timeout: 120_000 };

let cleanUp = new AsyncDisposableStack();
afterEach(async () => {
  await cleanUp.disposeAsync();
  cleanUp = new AsyncDisposableStack();
});

/** A scaler on a loopback address. The test sets its depth and its time. */
async function startScaler(tls: TlsFiles = noTls) {
  const clock = new ManualClock();
  const depth: { now: number | Error } = { now: 0 };
  const work = async (): Promise<Work> => {
    if (depth.now instanceof Error) throw depth.now;
    return workOf({ waiting: depth.now, prioritized: 0, active: 0, due: 0, held: 0 });
  };
  const log = new CollectedLog();
  const scaler = await listenScaler({ address: { host: "127.0.0.1", port: 0 }, tls, work, clock, log });
  cleanUp.defer(async () => {
    const closed = scaler.close();
    // The wait for open connections uses simulated time.
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      await Promise.race([closed, Promise.reject(new Error("not closed"))]);
    }, patience);
  });
  const scheme = tls.certFile === "" ? "http" : "https";
  return { scaler, clock, depth, log, origin: `${scheme}://127.0.0.1:${scaler.port}` };
}

function openSession(origin: string) {
  const session = connect(origin);
  session.on("error", () => undefined);
  cleanUp.defer(() => session.destroy());
  return session;
}

function clientOf(
  origin: string,
  nodeOptions: Parameters<typeof createGrpcTransport>[0]["nodeOptions"] = {},
) {
  const transport = createGrpcTransport({ baseUrl: origin, nodeOptions, idleConnectionTimeoutMs: 100 });
  return createClient(ExternalScaler, transport);
}

test("KEDA's poll gets the queue depth and the target of its own trigger", async () => {
  const { depth, origin } = await startScaler();
  const client = clientOf(origin);
  expect((await client.isActive(scaledObject)).result).toBe(false);
  depth.now = 60;
  expect((await client.isActive(scaledObject)).result).toBe(true);
  const { metricSpecs } = await client.getMetricSpec({
    ...scaledObject,
    scalerMetadata: { targetValue: "2.5" },
  });
  expect(metricSpecs).toMatchObject([{ metricName: "work", targetSize: 3n, targetSizeFloat: 2.5 }]);
  const { metricValues } = await client.getMetrics({ scaledObjectRef: scaledObject, metricName: "work" });
  expect(metricValues).toMatchObject([{ metricName: "work", metricValue: 60n, metricValueFloat: 60 }]);
});

test("a stream sends true when work begins, once, in the bytes that KEDA reads", async () => {
  const { clock, depth, origin } = await startScaler();
  const call = callScaler(openSession(origin), "StreamIsActive", asking);
  await vi.waitFor(() => expect(clock.sleeping).toBe(1), patience);
  depth.now = 7;
  await vi.waitFor(async () => {
    await clock.advance(500);
    expect(call.messages).toHaveLength(1);
  }, patience);
  for (let seconds = 0; seconds < 600; seconds += 1) await clock.advance(1000);
  depth.now = 0;
  await clock.advance(1000);
  depth.now = 1;
  await vi.waitFor(async () => {
    await clock.advance(500);
    expect(call.messages).toHaveLength(2);
  }, patience);
  expect(call.messages.map((message) => message.toString("hex"))).toEqual(["0801", "0801"]);
});

test("the metric spec is sent when the stream opens, in the bytes that KEDA reads", async () => {
  const { origin } = await startScaler();
  const call = callScaler(openSession(origin), "StreamMetricSpec", asking);
  await vi.waitFor(() => expect(call.messages).toHaveLength(1), patience);
  const target = Buffer.alloc(8);
  target.writeDoubleLE(25);
  const spec = Buffer.concat([Buffer.from("\n\u0004work\u0010\u0019\u0019"), target]);
  expect(call.messages[0]).toEqual(Buffer.concat([Buffer.from([0x0a, spec.length]), spec]));
});

test("a stop ends every stream with OK", async () => {
  const { origin, scaler } = await startScaler();
  const session = openSession(origin);
  const active = callScaler(session, "StreamIsActive", asking);
  const specs = callScaler(session, "StreamMetricSpec", asking);
  await vi.waitFor(() => expect(specs.messages).toHaveLength(1), patience);
  await scaler.close();
  expect(await Promise.all([active.ended, specs.ended])).toEqual(["0", "0"]);
});

test("a stream that KEDA leaves is asked for no more", async () => {
  const { clock, origin } = await startScaler();
  const call = callScaler(openSession(origin), "StreamIsActive", asking);
  await vi.waitFor(() => expect(clock.sleeping).toBe(1), patience);
  call.cancel();
  await vi.waitFor(() => expect(clock.sleeping).toBe(0), patience);
});

test("a depth that is not known is an error and never 0", async () => {
  const { depth, origin } = await startScaler();
  depth.now = new Error("redis: reconnecting");
  const refused = { code: Code.Unavailable, rawMessage: "redis: reconnecting" };
  await expect(clientOf(origin).isActive(scaledObject)).rejects.toMatchObject(refused);
  await expect(
    clientOf(origin).getMetrics({ scaledObjectRef: scaledObject, metricName: "work" }),
  ).rejects.toMatchObject(refused);
});

test.each([
  [{ targetvalue: "3" }, /targetvalue: not known here; write targetValue/],
  [{ targetValue: "many" }, /targetValue: "many" is no positive number/],
  [{ targetValue: "0" }, /targetValue: "0" is no positive number/],
])("the metadata %j is refused with what to write", async (scalerMetadata, says) => {
  const { origin } = await startScaler();
  const answer = clientOf(origin).getMetricSpec({ name: "worker", namespace: "reloader", scalerMetadata });
  const error = await answer.then(() => undefined, ConnectError.from);
  expect(error?.code).toBe(Code.InvalidArgument);
  expect(error?.rawMessage).toMatch(says);
});

test("any number of ScaledObjects ask, each with its own target", async () => {
  const { origin } = await startScaler();
  const client = clientOf(origin);
  const targets = Array.from({ length: 50 }, (_, at) => at + 1);
  const specs = await Promise.all(
    targets.map((target) =>
      client.getMetricSpec({ name: `w${target}`, scalerMetadata: { targetValue: String(target) } }),
    ),
  );
  expect(specs.map(({ metricSpecs }) => metricSpecs[0]?.targetSizeFloat)).toEqual(targets);
});

/** A folder with a server certificate, and a client certificate that the server accepts. */
function makeTls() {
  const folder = mkdtempSync(join(tmpdir(), "fr-scaler-"));
  cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [server, client] = [createLoopbackCertificate(), createLoopbackCertificate()];
  const tls = {
    certFile: join(folder, "tls.crt"),
    keyFile: join(folder, "tls.key"),
    clientCaFile: join(folder, "ca.crt"),
  };
  const write = (made: typeof server) => {
    writeFileSync(tls.certFile, made.certificatePem);
    writeFileSync(tls.keyFile, made.keyPem);
  };
  write(server);
  writeFileSync(tls.clientCaFile, client.certificatePem);
  return { tls, server, client, write };
}

test("with TLS a client without a certificate of ours is not answered", async () => {
  const { client, server, tls } = makeTls();
  const { origin } = await startScaler(tls);
  const ca = server.certificatePem;
  await expect(clientOf(origin, { ca }).isActive(scaledObject)).rejects.toThrow();
  const foreign = createLoopbackCertificate();
  const shown = { ca, cert: foreign.certificatePem, key: foreign.keyPem };
  await expect(clientOf(origin, shown).isActive(scaledObject)).rejects.toThrow();
  const known = { ca, cert: client.certificatePem, key: client.keyPem };
  expect((await clientOf(origin, known).isActive(scaledObject)).result).toBe(false);
});

test("a renewed certificate is used without a restart, and a broken one is not", async () => {
  const { client, tls, write } = makeTls();
  const { clock, log, origin } = await startScaler(tls);
  const known = { cert: client.certificatePem, key: client.keyPem };
  writeFileSync(tls.keyFile, "torn");
  await vi.waitFor(async () => {
    await clock.advance(60_000);
    expect(log.lines.map(({ message }) => message)).toContain(
      "a renewed certificate cannot be used; the one before stays",
    );
  }, patience);
  const renewed = createLoopbackCertificate();
  write(renewed);
  await vi.waitFor(async () => {
    await clock.advance(60_000);
    expect(log.lines.map(({ message }) => message)).toContain("a renewed certificate is taken up");
  }, patience);
  const trusting = clientOf(origin, { ca: renewed.certificatePem, ...known });
  expect((await trusting.isActive(scaledObject)).result).toBe(false);
});

test("a certificate without its key, and one that is none, are refused by their flags", async () => {
  const { tls } = makeTls();
  await expect(startScaler({ ...tls, keyFile: "" })).rejects.toThrow(/^--scaler-tls-key-file is missing/);
  await expect(startScaler({ ...noTls, clientCaFile: tls.clientCaFile })).rejects.toThrow(
    /^--scaler-tls-cert-file is missing/,
  );
  await expect(startScaler({ ...tls, certFile: "/absent" })).rejects.toThrow(
    /^--scaler-tls-cert-file \/absent: cannot be read \(ENOENT\)/,
  );
  writeFileSync(tls.certFile, "no certificate");
  await expect(startScaler(tls)).rejects.toThrow(/--scaler-tls-cert-file.*cannot be used/);
});

test("an address that is taken is refused by its flag", async () => {
  const { scaler } = await startScaler();
  const { port } = scaler;
  const work = () => Promise.reject(new Error("unused"));
  const clock = new ManualClock();
  const again = listenScaler({
    address: { host: "127.0.0.1", port },
    tls: noTls,
    work,
    clock,
    log: new CollectedLog(),
  });
  await expect(again).rejects.toThrow(`--scaler-listen-address 127.0.0.1:${port}: cannot listen there`);
});
