import { startSink } from "@fleet-reloader/testkit/http-sink";
import { expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";

const login = "write fleet-reloader login --server SERVER, or give --token-file";

test.each([
  [
    503,
    "redis.unavailable",
    "redis: close",
    "Check the process. It waits.",
    "redis: close. What to do: Check the process. It waits.",
  ],
  [500, "engine.invariant", "It is our bug.", "Report it.", "It is our bug. What to do: Report it."],
  [403, "access.forbidden", "bob may not", "ask for the role", "bob may not; ask for the role"],
  [
    401,
    "access.unauthenticated",
    "nobody is signed in",
    "sign in at /sign-in",
    `nobody is signed in; ${login}`,
  ],
  [
    400,
    "question.invalid",
    "--freeze-configmap: it is not given",
    "use fleet-reloader freeze",
    "--freeze-configmap: it is not given; give it to all processes, or leave --server out",
  ],
])("a refusal with %i %s has one problem and one mend", async (status, code, problem, mend, says) => {
  await using server = await startSink((response) =>
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ code, field: problem.split(": ")[0], problem, mend })),
  );
  const { errors } = await commandRun(["status", "--server", server.url.origin]);
  expect(errors.replaceAll(server.url.origin, "SERVER")).toBe(`--server SERVER: ${says}\n`);
});

test("a refusal of several parts has a line for each, with the name of its flag", async () => {
  const parts = [
    { field: "namespace", value: "Shop", problem: "namespace: is no name", mend: "write one in lower case" },
    { field: "until", value: "soon", problem: "until: is no time", mend: "" },
  ];
  const refusal = JSON.stringify({ code: "question.invalid", ...parts[0], parts });
  await using server = await startSink((response) =>
    response.writeHead(400, { "content-type": "application/json" }).end(refusal),
  );
  const { code, errors } = await commandRun(["status", "--server", server.url.origin]);
  expect({ code, errors }).toEqual({
    code: 78,
    errors: "--namespace: is no name; write one in lower case\n--until: is no time\n",
  });
});

test.each([
  ["retry Deployment/api", "--redis-url"],
  ["freeze --fleet", "--freeze-configmap or --freeze-file, as the workers have it,"],
  ["unfreeze --fleet", "--freeze-configmap or --freeze-file, as the workers have it,"],
])("where nobody can sign in, %s names a flag of its own", async (command, flags) => {
  await using server = await startSink((response) =>
    response
      .writeHead(403, { "content-type": "application/json" })
      .end(JSON.stringify({ code: "question.invalid", field: "caller", problem: "nobody", mend: "none" })),
  );
  const { errors } = await commandRun([
    ...command.split(" "),
    ...["--reason", "test", "--server", server.url.origin],
  ]);
  const mend = `start the server with --access-file, or give ${flags} in place of --server`;
  expect(errors.replaceAll(server.url.origin, "SERVER")).toBe(`--server SERVER: nobody; ${mend}\n`);
});

test.each([
  [401, "nobody is signed in; sign in at /sign-in\n", `nobody is signed in; ${login}`],
  [503, "redis: close\nredis: it is full\n", "redis: close; redis: it is full"],
])("a text of %i as a refusal is told like one of the API", async (status, text, says) => {
  await using server = await startSink((response) =>
    response.writeHead(status, { "content-type": "text/plain" }).end(text),
  );
  const { errors } = await commandRun(["history", "--server", server.url.origin]);
  expect(errors.replaceAll(server.url.origin, "SERVER")).toBe(`--server SERVER: ${says}\n`);
});
