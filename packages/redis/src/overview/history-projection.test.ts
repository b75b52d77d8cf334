import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClient } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { HistoryReader } from "../history/history-reader.ts";
import { HistoryProjection, type HistoryProjectionOptions } from "./history-projection.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const shards = 3;
let beds = 0;

function openBed(how: Pick<HistoryProjectionOptions, "max"> = {}) {
  beds += 1;
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const keys = new Keys(`projection-${beds}`, shards);
  const clock = new ManualClock();
  const reader = new HistoryReader({ client, keys });
  let readings = 0;
  const counted: HistoryProjectionOptions["reader"] = {
    read: (...asked) => {
      readings += 1;
      return reader.read(...asked);
    },
    records: (...asked) => {
      readings += 1;
      return reader.records(...asked);
    },
  };
  const projection = new HistoryProjection({ client, keys, reader: counted, clock, ...how });
  const stream = (shard: number) => keys.histories[shard] ?? "";
  return {
    ...{ client, clock, projection, reader, stream },
    /** How often the query went to the reader instead. */
    readings: () => readings,
    write: (shard: number, id: string, name = id) =>
      client.connection.xadd(stream(shard), id, "record", JSON.stringify(recordOf(name))),
    names: async (query: Partial<HistoryQuery> = {}) => namesOf(await projection.records(all(query))),
    async [Symbol.asyncDispose]() {
      projection.close();
      await client.close();
    },
  };
}

function all(query: Partial<HistoryQuery>): HistoryQuery {
  return { since: { ms: 0 }, limit: 1000, ...query };
}

function recordOf(name: string): HistoryRecord {
  const workload = { kind: "Deployment", namespace: "ns", name };
  const cluster = { id: "c1", name: "nova" };
  return {
    v: 1,
    type: "action",
    time: "2026-07-01T12:00:00.000Z",
    cluster,
    workload,
    action: "rolled",
    sources: [],
  };
}

function namesOf(records: readonly HistoryRecord[]): readonly string[] {
  return records.map((record) => (record.type === "action" ? record.workload.name : record.type));
}

test("it answers what the reader answers, and reads only what is new", async () => {
  await using bed = openBed();
  for (let at = 1; at <= 1300; at += 1) await bed.write(at % shards, `${Math.ceil(at / 4)}-${at}`);
  const queries = [
    {},
    { limit: 7 },
    { since: { ms: 100 } },
    { name: "10-40" },
    { cluster: "nova" },
    { cluster: "x" },
  ];
  const answers = async () => {
    for (const query of queries)
      expect(await bed.names({ limit: 5000, ...query })).toEqual(
        namesOf(await bed.reader.records(all({ limit: 5000, ...query }))),
      );
  };
  await answers();
  await bed.write(0, "9000-1");
  await bed.write(2, "8999-1");
  expect((await bed.names({ limit: 5000 })).slice(-2)).toEqual(["8999-1", "9000-1"]);
  await answers();
  expect(bed.readings()).toBe(0);
});

describe("what becomes of the streams:", () => {
  test("what is trimmed is gone", async () => {
    await using bed = openBed();
    for (const id of ["1-1", "2-1", "3-1"]) await bed.write(0, id);
    await bed.write(1, "2-5");
    expect(await bed.names()).toEqual(["1-1", "2-1", "2-5", "3-1"]);
    await bed.client.connection.xtrim(bed.stream(0), "MINID", "3");
    expect(await bed.names()).toEqual(["2-5", "3-1"]);
    await bed.client.connection.xtrim(bed.stream(0), "MAXLEN", 0);
    expect(await bed.names()).toEqual(["2-5"]);
    expect(bed.readings()).toBe(0);
  });

  test("what came and was trimmed before it was read is left out, and the rest is there", async () => {
    await using bed = openBed();
    await bed.write(0, "1-1");
    expect(await bed.names()).toEqual(["1-1"]);
    for (const id of ["2-1", "3-1", "4-1"]) await bed.write(0, id);
    await bed.client.connection.xtrim(bed.stream(0), "MINID", "3");
    expect(await bed.names()).toEqual(["3-1", "4-1"]);
  });

  test("a wipe leaves nothing, and it fills again by itself", async () => {
    await using bed = openBed();
    await bed.write(0, "5-1");
    await bed.write(1, "6-1");
    expect(await bed.names()).toEqual(["5-1", "6-1"]);
    await bed.client.connection.del(bed.stream(0), bed.stream(1));
    expect(await bed.names()).toEqual([]);
    await bed.write(1, "7-1");
    expect(await bed.names()).toEqual(["7-1"]);
  });

  test.each([
    ["lower ids, as by a clock that was set back", ["1-1", "2-1"]],
    ["higher ids, and more than before", ["7-1", "8-1", "9-1"]],
    ["the same newest id", ["4-1", "6-1"]],
  ])("a stream that begins again between two questions: %s", async (_, ids) => {
    await using bed = openBed();
    await bed.write(0, "5-1", "before");
    await bed.write(0, "6-1", "before");
    expect(await bed.names()).toEqual(["before", "before"]);
    await bed.client.connection.del(bed.stream(0));
    for (const id of ids) await bed.write(0, id);
    expect(await bed.names()).toEqual(ids);
  });
});

describe("bound:", () => {
  test("the newest are kept, and what goes back further is read", async () => {
    await using bed = openBed({ max: { records: 4 } });
    for (let at = 1; at <= 9; at += 1) await bed.write(at % shards, `${at}-1`);
    expect(await bed.names({ since: { ms: 7 } })).toEqual(["7-1", "8-1", "9-1"]);
    expect([bed.readings(), bed.projection.count]).toEqual([0, 4]);
    expect((await bed.names()).length).toBe(9);
    expect(bed.readings()).toBe(1);
  });

  test("fewer are kept where they take more memory, and the answers are the same", async () => {
    await using bed = openBed({ max: { bytes: 7000 } });
    const long = "x".repeat(1000);
    for (let at = 1; at <= 9; at += 1) await bed.write(at % shards, `${at}-1`, `${long}${at}`);
    expect((await bed.names({ since: { ms: 7 } })).map((name) => name.at(-1))).toEqual(["7", "8", "9"]);
    expect([bed.readings(), bed.projection.count]).toEqual([0, 4]);
    for (let at = 10; at <= 99; at += 1) await bed.write(at % shards, `${at}-1`, `${long}${at}`);
    expect((await bed.names()).length).toBe(99);
    expect(bed.projection.count).toBe(4);
  });

  test("when more came than is kept, the newest are there all the same", async () => {
    await using bed = openBed({ max: { records: 4 } });
    for (let at = 1; at <= 3; at += 1) await bed.write(at % shards, `${at}-1`);
    expect(await bed.names({ since: { ms: 2 } })).toEqual(["2-1", "3-1"]);
    for (let at = 4; at <= 30; at += 1) await bed.write(at % shards, `${at}-1`);
    expect(await bed.names({ since: { ms: 28 } })).toEqual(["28-1", "29-1", "30-1"]);
    expect([bed.readings(), bed.projection.count]).toEqual([0, 4]);
  });

  test("a question that goes on after a line is read", async () => {
    await using bed = openBed();
    await bed.write(0, "1-1");
    await bed.write(0, "2-1");
    expect(await bed.names({ since: { afterId: "1-1-0" } })).toEqual(["2-1"]);
    expect(bed.readings()).toBe(1);
  });

  test("when nobody has asked for ten minutes the memory is given back", async () => {
    await using bed = openBed();
    await bed.write(0, "1-1");
    expect(bed.projection.count).toBe(0);
    await bed.names();
    await bed.clock.advance(599_000);
    await bed.names();
    await bed.clock.advance(599_000);
    expect(bed.projection.count).toBe(1);
    await bed.clock.advance(1000);
    expect(bed.projection.count).toBe(0);
    await bed.write(0, "2-1");
    expect(await bed.names()).toEqual(["1-1", "2-1"]);
  });
});

test("many who ask at once share a reading, and each has what was written before", async () => {
  await using bed = openBed();
  await bed.write(0, "1-1");
  const first = Array.from({ length: 50 }, () => bed.names());
  await bed.write(0, "2-1");
  const later = Array.from({ length: 50 }, () => bed.names());
  for (const names of await Promise.all(first)) expect(names).toContain("1-1");
  for (const names of await Promise.all(later)) expect(names).toEqual(["1-1", "2-1"]);
});

test("what is not seen does not count towards the limit, in memory and at Redis", async () => {
  await using bed = openBed({ max: { records: 3 } });
  for (let at = 1; at <= 6; at += 1) await bed.write(0, `${at}-1`);
  const isSeen = (record: HistoryRecord) => namesOf([record])[0] !== "5-1" && namesOf([record])[0] !== "2-1";
  const seen = async (ms: number) =>
    namesOf(await bed.projection.records(all({ since: { ms }, limit: 2 }), undefined, isSeen));
  expect([await seen(5), bed.readings()]).toEqual([["6-1"], 0]);
  expect([await seen(1), bed.readings()]).toEqual([["1-1", "3-1"], 1]);
});

test("a reading that fails for one stream leaves nothing twice of another", async () => {
  await using bed = openBed();
  await bed.write(1, "1-1");
  expect(await bed.names()).toEqual(["1-1"]);
  await bed.client.connection.set(bed.stream(0), "no stream");
  const ids = Array.from({ length: 1500 }, (_, at) => `${at + 2}-1`);
  await Promise.all(ids.map((id) => bed.write(1, id)));
  await expect(bed.names()).rejects.toThrow("WRONGTYPE");
  await bed.client.connection.del(bed.stream(0));
  expect(await bed.names({ limit: 5000 })).toEqual(["1-1", ...ids]);
});
