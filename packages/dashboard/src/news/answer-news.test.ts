import { type IncomingMessage, request } from "node:http";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { createAccessWorld, subjectsOf, tokenOf } from "../fixture/access-world.ts";
import { fleetOf, overviewOf, startServedFleet } from "../fixture/served-fleet.ts";

/** Opens the stream, and keeps its text. */
async function openNews(port: number, headers: Readonly<Record<string, string>> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request({ host: "127.0.0.1", agent: false, port, path: "/api/v1/news", headers }, resolve);
  asked.on("error", reject).end();
  const response = await promise;
  let text = "";
  let end: "open" | "ended" | "broken" = "open";
  response.setEncoding("utf8");
  response.on("data", (part: string) => {
    text += part;
  });
  response.on("end", () => {
    end = "ended";
  });
  response.on("error", () => {
    end = "broken";
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: () => text,
    end: () => end,
    leave: () => asked.destroy(),
  };
}

test("a stream says when all is told, is counted while open, and ends with the process", async () => {
  await using served = await startServedFleet();
  const stream = await openNews(served.port, { "last-event-id": "" });
  expect([stream.status, stream.headers["content-type"], stream.headers["cache-control"]]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
    "no-store",
  ]);
  await until("it is caught up", () => stream.text().includes("event: caught-up"));
  expect(stream.text()).toContain('data: {"topics":["held","queue","clusters"]}');
  expect(served.streams()).toBe(1);
  const other = await openNews(served.port);
  other.leave();
  await until("who left is not counted", () => served.streams() === 1);
  await served.close();
  await until("it ends", () => stream.end() !== "open");
  expect(stream.end()).toBe("ended");
});

test("at most 500 streams are open, and the next one is told what to do instead", async () => {
  await using served = await startServedFleet();
  const streams = [];
  for (let count = 0; count < 500; count += 1) streams.push(await openNews(served.port));
  const refused = await served.ask("/api/v1/news");
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.body)).toMatchObject({ field: "streams", value: "500" });
  for (const { leave } of streams.slice(1)) leave();
  await until("there is room", () => served.streams() === 1);
  const next = await openNews(served.port);
  expect(next.status).toBe(200);
});

test("one person cannot take the streams of the others", async () => {
  const reads = [{ role: "viewer", clusters: "*", namespaces: "*" }] as const;
  const overview = fleetOf([overviewOf("nova")]);
  const { access } = createAccessWorld(subjectsOf({ ann: reads, bob: reads }), overview);
  await using served = await startServedFleet({ access, overview });
  const as = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });
  for (let count = 0; count < 50; count += 1)
    expect((await openNews(served.port, as("ann"))).status).toBe(200);
  const refused = await served.ask("/api/v1/news", as("ann"));
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.body)).toMatchObject({
    value: "50",
    problem: expect.stringMatching(/^streams: 50 of ann/),
  });
  expect((await openNews(served.port, as("bob"))).status).toBe(200);
});

test.each([
  ["/api/v1/news?since=1h", {}, 400],
  ["/api/v1/news", { "sec-fetch-site": "cross-site" }, 403],
] as const)("%s with %j is refused", async (path, headers, status) => {
  await using served = await startServedFleet();
  expect((await served.ask(path, headers)).status).toBe(status);
  expect((await served.ask("/api/v1/news", {}, "HEAD")).status).toBe(200);
  expect(served.streams()).toBe(0);
});

test("while Redis is away no stream begins", async () => {
  await using served = await startServedFleet({
    reader: { notReady: ["redis: reconnecting"], read: () => Promise.reject(new Error("not read")) as never },
  });
  expect(await served.ask("/api/v1/news")).toMatchObject({ status: 503 });
});
