import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../process/system-clock.ts";
import { AuditCredentials } from "./audit-credentials.ts";
import { type AuditEndpointOptions, listenAudit, type ReceivedResult } from "./audit-endpoint.ts";
import { BodyBudget } from "./body-budget.ts";

const { certificatePem, keyPem } = createLoopbackCertificate();
const folder = mkdtempSync(join(tmpdir(), "fr-audit-"));
const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
writeFileSync(certFile, certificatePem);
writeFileSync(keyFile, keyPem);
afterAll(() => rmSync(folder, { recursive: true }));
const files = { certFile, keyFile, clientCaFile: certFile };

const token = "a-token-of-the-cluster-nova-0123456789";
const lineOf = (cluster: string, text: string) =>
  `${cluster} sha256:${createHash("sha256").update(text).digest("hex")}`;
const tokens = `# tokens\n\n${lineOf("otech62", "another")}\n${lineOf("nova", token)}\n`;

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly method?: string;
  readonly path?: string;
  readonly client?: ReturnType<typeof createLoopbackCertificate>;
  /** Absent: each request has a connection of its own. */
  readonly agent?: Agent;
}

async function startEndpoint(receive: AuditEndpointOptions["receive"]) {
  const counts: string[] = [];
  const log = new CollectedLog();
  const endpoint = await listenAudit({
    address: { host: "127.0.0.1", port: 0 },
    tls: { files, flags: files, clock: systemClock, log },
    credentials: new AuditCredentials(tokens, "tokens"),
    receive,
    counted: (cluster, result) => void counts.push(`${cluster} ${result}`),
    log,
  });
  const open = ({ headers = {}, method = "POST", path = "/", client, agent }: Sent) =>
    request({
      host: "127.0.0.1",
      port: endpoint.port,
      ca: certificatePem,
      method,
      path,
      headers,
      agent: agent ?? false,
      ...(client === undefined ? {} : { cert: client.certificatePem, key: client.keyPem }),
    });
  return {
    counts,
    log,
    port: endpoint.port,
    open,
    /** The status, and the answer as JSON. */
    ask(sent: Sent): Promise<readonly [number | undefined, unknown]> {
      const { promise, resolve, reject } = Promise.withResolvers<readonly [number | undefined, unknown]>();
      const call = open(sent);
      call.on("response", async (response) => {
        resolve([response.statusCode, JSON.parse(await text(response))]);
      });
      call.on("error", reject);
      call.end(sent.body);
      return promise;
    },
    send(sent: Sent): Promise<number | undefined> {
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const call = open(sent);
      call.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.on("error", reject);
      call.end(sent.body);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      await endpoint.close();
    },
  };
}

const bearer = { authorization: `Bearer ${token}` };

async function startCollecting(result: ReceivedResult = "accepted") {
  const received: string[] = [];
  const endpoint = await startEndpoint(async (cluster, body) => {
    received.push(`${cluster} ${body}`);
    return result;
  });
  return { ...endpoint, received, [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]() };
}

// Anybody who reaches the port can open such a connection, without a credential.
test("a client that says nothing does not hold up the end", async () => {
  const endpoint = await startEndpoint(async () => "accepted");
  const silent = connect(endpoint.port, "127.0.0.1");
  const ended = once(silent, "close");
  await once(silent, "connect");
  expect(await endpoint.send({ headers: {} })).toBe(401);
  await endpoint[Symbol.asyncDispose]();
  await ended;
});

describe("a request", () => {
  test("belongs to the cluster of its token, whatever path and body say", async () => {
    await using bed = await startCollecting();
    const body = Buffer.from('{"cluster":"otech62"}');
    expect(await bed.send({ headers: bearer, path: "/otech62?cluster=otech62", body })).toBe(200);
    expect(bed.received).toEqual(['nova {"cluster":"otech62"}']);
    expect(bed.counts).toEqual(["nova accepted"]);
  });

  test("of Firehose is told from others by its headers, and answered in its words", async () => {
    const received: string[] = [];
    const results: ReceivedResult[] = ["accepted", "unavailable"];
    await using bed = await startEndpoint(async (cluster, body, delivery) => {
      received.push(`${cluster} ${body} ${delivery}`);
      return results.shift() ?? "malformed";
    });
    const headers = { "x-amz-firehose-request-id": "ed4acda5-034f", "x-amz-firehose-access-key": token };
    const sent = { headers, body: Buffer.from("x") };
    const answer = { requestId: "ed4acda5-034f", timestamp: expect.any(Number) };
    expect(await bed.ask(sent)).toEqual([200, answer]);
    expect(await bed.ask(sent)).toEqual([
      503,
      { ...answer, errorMessage: "the events cannot be stored now" },
    ]);
    expect(
      await bed.ask({ ...sent, headers: { ...headers, "x-amz-firehose-access-key": "guessed" } }),
    ).toEqual([401, { ...answer, errorMessage: "the access key is missing or not known" }]);
    expect(received).toEqual(["nova x firehose", "nova x firehose"]);
  });

  test("belongs to the cluster that its certificate names", async () => {
    await using bed = await startCollecting();
    const client = { certificatePem, keyPem };
    expect(await bed.send({ client, body: Buffer.from("x") })).toBe(200);
    expect(bed.received).toEqual(["sim-api x"]);
  });

  test.each([
    ["nothing", {}],
    ["another token", { headers: { authorization: "Bearer guessed" } }],
    ["the digest of a token", { headers: { authorization: `Bearer ${lineOf("", token).slice(8)}` } }],
    ["an empty token", { headers: { authorization: "Bearer " } }],
    ["a password", { headers: { authorization: `Basic ${token}` } }],
    ["a certificate that somebody else signed", { client: createLoopbackCertificate() }],
  ])("with %s is refused, and nobody receives it", async (_, sent) => {
    await using bed = await startCollecting();
    expect(await bed.send({ ...sent, body: Buffer.from("x") })).toBe(401);
    expect(bed.received).toEqual([]);
    expect(bed.counts).toEqual(["undefined unauthorized"]);
  });

  test("that is refused again and again is one warning, with where it comes from", async () => {
    await using bed = await startCollecting();
    for (let count = 0; count < 3; count += 1) expect(await bed.send({})).toBe(401);
    expect(bed.log.lines).toMatchObject([{ level: "warn", fields: { from: "127.0.0.1" } }]);
  });

  test("without a credential is answered before its body is sent", async () => {
    await using bed = await startCollecting();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const call = bed.open({ headers: { "content-length": "33554432" } });
    call.on("response", ({ statusCode }) => resolve(statusCode));
    call.on("error", () => undefined);
    call.flushHeaders();
    expect(await promise).toBe(401);
    call.destroy();
  });

  test.each([
    ["malformed", 400],
    ["too-large", 413],
    ["unavailable", 503],
  ] as const)("that is %s is answered with %d and counted", async (result, status) => {
    await using bed = await startCollecting(result);
    expect(await bed.send({ headers: bearer, body: Buffer.from("x") })).toBe(status);
    expect(bed.counts).toEqual([`nova ${result}`]);
  });

  test.each<[string, Sent, number]>([
    ["a GET", { method: "GET" }, 400],
    ["compressed", { headers: { ...bearer, "content-encoding": "gzip" } }, 400],
    ["announced with more than 32 MiB", { headers: { ...bearer, "content-length": "33554433" } }, 413],
  ])("that is %s is refused without its body", async (_, sent, status) => {
    await using bed = await startCollecting();
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const call = bed.open({ headers: bearer, ...sent });
    call.on("response", ({ statusCode }) => resolve(statusCode));
    call.on("error", () => undefined);
    if (sent.method === "GET") call.end();
    else call.flushHeaders();
    expect(await promise).toBe(status);
    expect(bed.received).toEqual([]);
    call.destroy();
  });

  test("of more than 32 MiB that does not say so ends, and the next one is received", async () => {
    await using bed = await startCollecting();
    const call = bed.open({ headers: { ...bearer, "transfer-encoding": "chunked" } });
    call.on("error", () => undefined);
    const mebibyte = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent < 40; sent += 1) call.write(mebibyte);
    await until("it is refused", () => bed.counts.includes("nova too-large"));
    call.destroy();
    expect(await bed.send({ headers: bearer, body: Buffer.from("next") })).toBe(200);
    expect(bed.received).toEqual(["nova next"]);
  });

  test("whose sender goes away in the middle harms nobody", async () => {
    await using bed = await startCollecting();
    const call = bed.open({ headers: { ...bearer, "content-length": "100" } });
    call.on("error", () => undefined);
    call.write("half");
    await until("it is under way", () => call.socket?.bytesWritten);
    call.destroy();
    expect(await bed.send({ headers: bearer, body: Buffer.from("next") })).toBe(200);
  });

  test("that is to be sent again closes its connection, so another process may get it", async () => {
    const results: ReceivedResult[] = ["accepted", "unavailable", "accepted"];
    await using bed = await startEndpoint(async () => results.shift() ?? "malformed");
    const agent = new Agent({ keepAlive: true });
    const used: boolean[] = [];
    for (const status of [200, 503, 200]) {
      const call = bed.open({ headers: bearer, agent });
      const [response] = await once(call.end("x"), "response");
      await text(response);
      expect(response.statusCode).toBe(status);
      used.push(call.reusedSocket);
    }
    agent.destroy();
    expect(used).toEqual([false, true, false]);
  });

  test("whose receiver fails is to be sent again, and the next one is received", async () => {
    let calls = 0;
    await using bed = await startEndpoint(async () => {
      calls += 1;
      if (calls === 1) throw new Error("a bug");
      return "accepted";
    });
    expect(await bed.send({ headers: bearer, body: Buffer.from("x") })).toBe(503);
    expect(await bed.send({ headers: bearer, body: Buffer.from("x") })).toBe(200);
  });
});

test("a file of tokens that cannot be read as one names the line and the mend", () => {
  for (const text of ["nova", "nova sha256:xyz", `nova ${token}`, "\n\nnova sha1:00"])
    expect(() => new AuditCredentials(text, "--audit-token-file f")).toThrow(
      /line \d is not CLUSTER sha256:HEX/,
    );
});

test("bodies of one cluster leave room for the others, and room is given back", () => {
  const bodies = new BodyBudget({ totalMax: 100, clusterMax: 60 });
  expect([bodies.take("a", 60), bodies.take("a", 1), bodies.take("b", 40), bodies.take("b", 1)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  bodies.release("a", 60);
  expect([bodies.take("b", 20), bodies.take("a", 40), bodies.take("a", 1)]).toEqual([true, true, false]);
});
