import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ApiClient } from "../src/server/api-client.ts";
import { commandRun } from "./fixture/command-run.ts";

const token = "token-canary-7c1d";
const env = { FLEET_RELOADER_TOKEN: token };
const folder = mkdtempSync(join(tmpdir(), "fr-link-"));
afterAll(() => rmSync(folder, { recursive: true }));

const act = ["retry", "deploy/api", "--reason", "incident"];
const questions = [["status"], ["history"], ["freezes"], ["managed", "-o", "json"], act];

const json = { "content-type": "application/json" };
const answerMeant = (response: ServerResponse) =>
  response
    .writeHead(200, json)
    .end(JSON.stringify({ act: "retry", target: "Deployment/api", count: 1, workloads: [], isDone: false }));

/** What a server answers that is not fleet-reloader, or not well. */
const foreign: readonly (readonly [string, (response: ServerResponse) => void, string])[] = [
  [
    "HTML of a proxy",
    (response) => response.writeHead(502, { "content-type": "text/html" }).end("<p>"),
    "502 with text/html",
  ],
  [
    "a page",
    (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    "200 with text/html",
  ],
  ["no JSON", (response) => response.writeHead(200, json).end("{"), "200 with"],
  ["JSON of another program", (response) => response.writeHead(500, json).end("{}"), "500 with"],
  ["nothing", (response) => response.writeHead(404).end(), "404 with no type"],
  ["another name", (response) => response.writeHead(421).end("no"), "does not answer to this name (421)"],
  [
    "two megabytes",
    (response) => response.writeHead(400, { "content-type": "text/plain" }).end("x".repeat(2_000_000)),
    "larger than 1 MiB",
  ],
  ["a connection that is cut", (response) => response.destroy(), "check the address and the way to it"],
  [
    "half an answer",
    (response) => {
      response.writeHead(200, { ...json, "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    },
    "--server ",
  ],
];

describe.each(foreign)("a server that answers with %s", (_, answer, says) => {
  test.each(questions)("is named with what to do, and the token is not: %s", async (...words) => {
    await using server = await startSink(answer);
    const run = await commandRun([...words, "--server", server.url.origin], { env });
    expect(run).toMatchObject({ code: 1, output: "" });
    expect(run.errors).toContain(says);
    expect(run.errors).toMatch(/^--server http:.*; .+\n$/);
    expect(run.errors).not.toContain(token);
  });
});

test("a redirect is not followed, and the token goes nowhere else", async () => {
  await using other = await startSink();
  for (const words of questions) {
    await using server = await startSink((response) =>
      response.writeHead(307, { location: `${other.url.origin}/api/v1/status?code=hunter2` }).end(),
    );
    const run = await commandRun([...words, "--server", server.url.origin], { env });
    expect(run).toMatchObject({ code: 1, output: "" });
    expect(run.errors).toContain(`it answers 307 and leads to ${other.url.origin}, where no token is sent`);
    expect(run.errors).not.toContain("hunter2");
    expect(server.received).toMatchObject([{ headers: { authorization: `Bearer ${token}` } }]);
  }
  expect(other.received).toEqual([]);
});

test("a server that repeats the token brings it onto no screen", async () => {
  const said = `nobody has ${token}`;
  await using api = await startSink((response) =>
    response.writeHead(401, json).end(JSON.stringify({ code: "x", problem: said, mend: said })),
  );
  await using history = await startSink((response) =>
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end(`{"note":"${said}"}\n`),
  );
  const refused = await commandRun(["status", "--server", api.url.origin], { env });
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining("nobody has (not shown)") });
  expect(refused.errors).toContain("fleet-reloader login --server");
  const read = await commandRun(["history", "--server", history.url.origin], { env });
  expect(read).toEqual({ code: 0, output: '{"note":"nobody has (not shown)"}\n', errors: "" });
});

test("what a server says steers no terminal", async () => {
  const problem = "\u001b[2Jgone\u202e";
  await using server = await startSink((response) =>
    response.writeHead(403, json).end(JSON.stringify({ code: "access.forbidden", problem, mend: problem })),
  );
  const { errors } = await commandRun(["status", "--server", server.url.origin]);
  expect(errors).toContain("\\u{1b}[2Jgone\\u{202e}");
});

describe("an act that was sent and not answered is not known to be done:", () => {
  const ends: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ["a proxy that gives up", (response) => response.writeHead(504, { "content-type": "text/html" }).end()],
    ["a connection that is cut", (response) => response.destroy()],
    [
      "a Redis that went away",
      (response) =>
        response.writeHead(503, json).end(
          JSON.stringify({
            code: "act.unknown",
            problem: "it is not known whether it was done (redis: close)",
            mend: "look at the history",
          }),
        ),
    ],
  ];
  test.each(ends)("%s", async (_, end) => {
    await using server = await startSink((response, at) =>
      at === 1 ? answerMeant(response) : end(response),
    );
    const run = await commandRun([...act, "--server", server.url.origin], { env });
    expect(run).toMatchObject({ code: 1, output: "" });
    expect(run.errors).toMatch(/it is not known whether it was done \(.*; look at .*history/);
    expect(run.errors).not.toContain(token);
    expect(server.received.map(({ body }) => JSON.parse(body).dryRun)).toEqual([true, false]);
  });

  test("one that is refused is known not to be done", async () => {
    await using server = await startSink((response, at) =>
      at === 1
        ? answerMeant(response)
        : response
            .writeHead(503, json)
            .end(JSON.stringify({ code: "redis.unavailable", problem: "redis: close", mend: "wait" })),
    );
    const run = await commandRun([...act, "--server", server.url.origin], { env });
    expect(run).toEqual({
      code: 1,
      output: "",
      errors: `--server ${server.url.origin}: redis: close; wait\n`,
    });
  });
});

test("a freeze is set although workloads come meanwhile, and not for ever", async () => {
  const answerOf = (count: number) => ({ act: "freeze", target: "the fleet", count, workloads: [] });
  const send = (response: ServerResponse, status: number, answer: object) =>
    response.writeHead(status, json).end(JSON.stringify(answer));
  const changed = (count: number) => ({
    code: "question.invalid",
    field: "expect",
    problem: "p",
    mend: "m",
    count,
  });
  await using server = await startSink((response, at) => {
    if (at === 1) return send(response, 200, { ...answerOf(7), isDone: false });
    if (at === 2) return send(response, 409, changed(8));
    return send(response, 200, { ...answerOf(8), isDone: true, notice: "frozen", covers: "it covers 8" });
  });
  const words = ["freeze", "--fleet", "--reason", "incident"];
  const run = await commandRun([...words, "--server", server.url.origin], { env });
  expect(run).toEqual({ code: 0, output: "frozen\nit covers 8\n", errors: "" });
  expect(server.received.map(({ body }) => JSON.parse(body).expect)).toEqual([undefined, 7, 8]);
  await using moving = await startSink((response, at) =>
    at === 1 ? send(response, 200, { ...answerOf(7), isDone: false }) : send(response, 409, changed(7 + at)),
  );
  const refused = await commandRun([...words, "--server", moving.url.origin], { env });
  expect(refused).toEqual({ code: 78, output: "", errors: "--p; m\n" });
});

test.each([
  ["unread", 3],
  ["unreadable", 0],
] as const)("a freeze by a server that is %s warns and exits with %i", async (reading, code) => {
  const meant = { act: "freeze", target: "the fleet", count: 7, workloads: [] };
  const done = { reading, covers: "why not", notice: "frozen in a file; why not", isDone: true };
  await using server = await startSink((response, at) =>
    response
      .writeHead(200, json)
      .end(JSON.stringify(Object.assign({}, meant, at === 1 ? { isDone: false } : done))),
  );
  const run = await commandRun(["freeze", "--fleet", "--reason", "incident", "--server", server.url.origin], {
    env,
  });
  expect(run).toEqual({ code, output: "frozen in a file\n", errors: "warning: why not\n" });
});

test("a server that is silent is given up, before its answer and in the midst of it", async () => {
  for (const begin of [undefined, "{"]) {
    const clock = new ManualClock();
    const asked = vi.fn((response: ServerResponse) => {
      if (begin !== undefined) response.writeHead(200, json).write(begin);
    });
    await using server = await startSink(asked);
    const client = new ApiClient({ server: new URL(server.url.origin), token, ca: undefined, clock });
    const ended = client.ask("status", {}).then(
      () => "answered",
      (error: unknown) => error,
    );
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 60_000 });
    const late = await vi.waitFor(
      async () => {
        await clock.advance(90_000);
        const first = await Promise.race([ended, clock.advance(0).then(() => undefined)]);
        expect(first).toBeDefined();
        return first;
      },
      { timeout: 60_000 },
    );
    expect(late).toMatchObject({
      code: "server.unreachable",
      message: expect.stringContaining("no answer within 90 s; check the address"),
    });
  }
});

test.each([
  ["http://reloader.example.org", "would get the token unencrypted; write https://reloader.example.org"],
  ["http://127.0.0.1.example.org:80", "would get the token unencrypted"],
  ["ftp://127.0.0.1", "is no address; write https://"],
  ["reloader.example.org", "is no address; write https://"],
  [
    `https://ann:${token}@reloader.example.org`,
    "has a user or a password; write https://reloader.example.org",
  ],
  [`https://reloader.example.org/?token=${token}`, "has more than scheme, host and port"],
  ["https://reloader.example.org/api/v1", "has more than scheme, host and port; write https://reloader"],
])("the address %s is refused before anything is sent", async (address, says) => {
  for (const words of [
    ["status", "--server", address],
    ["login", "--server", address],
  ]) {
    const run = await commandRun(words, { env, input: token });
    expect(run).toMatchObject({ code: 78, output: "" });
    expect(run.errors).toContain(says);
    expect(run.errors).not.toContain(token);
  }
});

test("a port where nothing listens is told apart from a wrong flag", async () => {
  const run = await commandRun(["status", "--server", "http://127.0.0.1:1"], { env });
  const errors =
    "--server http://127.0.0.1:1: ECONNREFUSED; nothing listens there: check the address, and that its port is still forwarded\n";
  expect(run).toEqual({ code: 1, output: "", errors });
});

test("a token of no shape of one is not sent and not shown", async () => {
  await using server = await startSink();
  const file = join(folder, "token");
  for (const wrong of ["two words-7c1d", "a\u00e9-7c1d", "line-7c1d\nline", "x".repeat(5000)]) {
    writeFileSync(file, wrong, { mode: 0o600 });
    const byFile = ["status", "--server", server.url.origin, "--token-file", file];
    const byVariable = await commandRun(["status", "--server", server.url.origin], {
      env: { FLEET_RELOADER_TOKEN: wrong },
    });
    for (const run of [await commandRun(byFile), byVariable]) {
      expect(run).toMatchObject({
        code: 78,
        output: "",
        errors: expect.stringContaining("it holds no token"),
      });
      expect(run.errors).not.toMatch(/7c1d|xxxx/);
    }
  }
  expect(server.received).toEqual([]);
});
