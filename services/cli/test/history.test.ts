import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisHistory } from "@fleet-reloader/redis/history/redis-history";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { describe, expect, test } from "vitest";
import { readHistory } from "../src/history/read-history.ts";
import { commandRun } from "./fixture/command-run.ts";

async function linesOf(...given: Parameters<typeof readHistory>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readHistory(...given)) lines.push(line);
  return lines;
}

const all = {
  redisPasswordSecret: undefined,
  dataDir: "/nowhere/fleet-reloader",
  since: "",
  cluster: "",
  inNamespace: "",
  object: "",
  change: "",
  limit: "",
};

function operator(target: string): HistoryRecord {
  const time = new Date().toISOString();
  return { v: 1, time, type: "operator", action: "freeze", by: "ann", target };
}

test("the history of all shards is read without a flag for their number", async () => {
  await using redis = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient({ url: redis.url }, log);
  const keys = new Keys("fleet-reloader", 4);
  await guardShards({ client, keys });
  const kept = { retentionMs: 60_000, lengthMax: 1000, meter: new CountingMeter() };
  const history = new RedisHistory({ ...kept, client, keys, clock: systemClock, log });
  const of = (id: string): HistoryRecord => ({ ...operator(id), cluster: { id, name: id } });
  history.append([operator("the fleet"), of("a"), of("b"), of("c"), of("d")]);
  await history.stop(60_000);
  await client.close();
  // More records of this millisecond may still come: a reader stops before it.
  await systemClock.sleep(5, new AbortController().signal);
  const lines = await linesOf({ ...all, redisUrl: redis.url }, { clock: systemClock, env: {}, log });
  expect(lines.map((line): unknown => JSON.parse(line).target).toSorted()).toEqual([
    "a",
    "b",
    "c",
    "d",
    "the fleet",
  ]);
});

describe("of more lines than --limit allows, it is said how to go on:", () => {
  const at = (number: number) => `170000000000${number}-0`;
  const left = (id: string) =>
    `2 lines were read, as many as --limit allows: there may be newer ones; go on with --since ${id}\n`;

  test("of those of Redis", async () => {
    await using redis = await startRedis();
    const client = new RedisClient({ url: redis.url }, new CollectedLog());
    const keys = new Keys("fleet-reloader", 1);
    await guardShards({ client, keys });
    for (const [number, target] of ["a", "b", "c"].entries())
      await client.connection.xadd(
        keys.history(undefined),
        at(number),
        "record",
        JSON.stringify(operator(target)),
      );
    await client.close();
    const words = ["history", "--redis-url", redis.url, "--limit", "2"];
    const first = await commandRun(words);
    expect(first).toMatchObject({ code: 0, errors: left(`${at(1)}-0`) });
    expect(first.output.split("\n")).toHaveLength(3);
    const next = await commandRun([...words, "--since", `${at(1)}-0`]);
    expect(next).toMatchObject({ code: 0, errors: "" });
    expect(next.output).toMatch(/^\{.*"target":"c".*\}\n$/);
  });

  test("of one line in the singular", async () => {
    await using server = await startSink((response) =>
      response.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"id":"1-0-0","v":1}\n'),
    );
    const { errors } = await commandRun(["history", "--server", server.url.origin, "--limit", "1"]);
    expect(errors).toMatch(/^1 line was read, as many as --limit allows: /);
  });

  test("of those of a server, whatever it calls its last line", async () => {
    for (const [id, said] of [
      ["17-0-0", "17-0-0"],
      ["\u001b[2J", "ID, with the id of the last line"],
    ] as const) {
      const lines = ["1-0-0", id].map((one) => `${JSON.stringify({ id: one, v: 1 })}\n`);
      await using server = await startSink((response) =>
        response.writeHead(200, { "content-type": "application/x-ndjson" }).end(lines.join("")),
      );
      const read = await commandRun(["history", "--server", server.url.origin, "--limit", "2"]);
      expect(read).toMatchObject({ code: 0, errors: left(said) });
    }
  });
});

// The notes of the chart name this command for its default, where Redis is the pod's own.
test("without an address the embedded Redis of the data dir is read", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "fr-history-"));
  await using redis = await startRedis([], ["--unixsocket", embeddedSocket(dataDir)]);
  const log = new CollectedLog();
  const client = new RedisClient({ url: redis.url }, log);
  await guardShards({ client, keys: new Keys("fleet-reloader", 1) });
  await client.close();
  const given = { clock: systemClock, env: {}, log };
  expect(await linesOf({ ...all, redisUrl: "", dataDir }, given)).toEqual([]);
  rmSync(dataDir, { recursive: true });
});

test("a Redis that nobody uses is an error and not an empty history", async () => {
  await using redis = await startRedis();
  const reading = linesOf(
    { ...all, redisUrl: redis.url },
    { clock: systemClock, env: {}, log: new CollectedLog() },
  );
  await expect(reading).rejects.toThrow("nobody uses this Redis");
});

test.each([
  [{ since: "soon" }, "--since"],
  [{ limit: "0" }, '--limit: "0" must be'],
  [{ redisUrl: "" }, "--redis-url"],
])("the refusal of %j names the flag", async (wrong, flag) => {
  const config = { ...all, redisUrl: "redis://127.0.0.1:1", ...wrong };
  const reading = linesOf(config, { clock: systemClock, env: {}, log: new CollectedLog() });
  await expect(reading).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining(flag),
  });
});
