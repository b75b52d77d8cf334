import type { ClusterReport } from "@fleet-reloader/engine/ports/ownership";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { aloneMember, RedisClusterReports, readClusterReports } from "./redis-cluster-reports.ts";

const redis = await startRedis();
const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
});

let beds = 0;
function setUp() {
  beds += 1;
  const keys = new Keys(`reports-${beds}`, 2);
  const reporter = (member: string) => new RedisClusterReports({ client, keys, member });
  const owned = (owners: Readonly<Record<string, string>>) =>
    new Map(
      Object.entries(owners).map(([cluster, owner]) => [cluster, { owner, epoch: 1, movedAt: 0, weight: 1 }]),
    );
  return {
    keys,
    reporter,
    read: (owners: Readonly<Record<string, string>>) => readClusterReports({ client, keys }, owned(owners)),
  };
}

const report: ClusterReport = {
  status: { state: "Degraded", why: ["its first lists are not complete yet"] },
  streams: 8,
  behindCount: 1,
  behind: ["Secret is listing ()"],
  behindSinceMs: 1_767_225_600_000,
  missingRights: ["no right to list secrets in all namespaces"],
  missingRightCount: 9,
};
const text = JSON.stringify(report);

test("the report of the owner of a cluster is read, and no other", async () => {
  const { read, reporter } = setUp();
  await reporter("a").write(new Map([["c1", text]]), []);
  await reporter("b").write(
    new Map([
      ["c1", JSON.stringify({ ...report, streams: 1 })],
      ["c2", text],
    ]),
    [],
  );
  const reportOf = await read({ c1: "a", c2: "a" });
  expect(reportOf("c1")).toEqual(report);
  expect([reportOf("c2"), reportOf("c3")]).toEqual([undefined, undefined]);
  await reporter("a").write(new Map(), ["c1"]);
  expect((await read({ c1: "a" }))("c1")).toBe(undefined);
});

test("where nobody owns clusters, what the one process reports is read", async () => {
  const { read, reporter } = setUp();
  await reporter(aloneMember).write(new Map([["c1", text]]), []);
  expect((await read({}))("c1")).toEqual(report);
});

test("reports of a thousand clusters are written at once, and end with their watcher", async () => {
  const { keys, read, reporter } = setUp();
  const mine = reporter("a");
  const names = Array.from({ length: 1000 }, (_, at) => `c${at}`);
  await mine.write(new Map(names.map((name) => [name, text])), []);
  const reportOf = await read({ c999: "a" });
  expect(reportOf("c999")).toEqual(report);
  const lasts = await client.connection.pttl(keys.fleet.reportsOf("a"));
  expect([lasts > 0, lasts <= 60_000]).toEqual([true, true]);
  await client.connection.pexpire(keys.fleet.reportsOf("a"), 1_000_000);
  expect(await mine.renew()).toBe(true);
  expect(await client.connection.pttl(keys.fleet.reportsOf("a"))).toBeLessThanOrEqual(60_000);
  await mine.clear();
  expect(await mine.renew()).toBe(false);
  expect((await read({ c999: "a" }))("c999")).toBe(undefined);
});

test("every change has another version, and what another version wrote is no report", async () => {
  const { keys, read, reporter } = setUp();
  const versions: (string | null)[] = [];
  const note = async () => versions.push(await client.connection.get(keys.fleet.reportsVersion));
  await note();
  await reporter("a").write(new Map([["c1", "{}"]]), []);
  await note();
  await reporter("a").clear();
  await note();
  expect(new Set(versions).size).toBe(3);
  expect((await read({ c1: "a" }))("c1")).toBe(undefined);
});
