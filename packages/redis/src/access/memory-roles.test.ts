import { namesForTest } from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { referenceIndexContract } from "@fleet-reloader/testkit/contracts/index/reference-index-contract";
import { rollLedgerContract } from "@fleet-reloader/testkit/contracts/roll-ledger-contract";
import { rolloutRunsContract } from "@fleet-reloader/testkit/contracts/rollout-runs-contract";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, describe, expect } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { startRedisOfRoles } from "../fixture/role-users.ts";
import { RedisRolloutRuns } from "../history/redis-rollout-runs.ts";
import { RedisReferenceIndex } from "../index/redis-reference-index.ts";
import { RedisWorkloadRecords } from "../index/redis-workload-records.ts";
import { RedisRollLedger } from "../ledger/redis-roll-ledger.ts";

const redis = await startRedisOfRoles("*");
const log = new CollectedLog();
const watcher = new RedisClient(redisAddress(redis.urlOf("watcher")), log);
const worker = new RedisClient(redisAddress(redis.urlOf("worker")), log);
afterAll(async () => {
  const denied = await redis.denied();
  await Promise.all([watcher.close(), worker.close()]);
  await redis[Symbol.asyncDispose]();
  expect(denied).toEqual([]);
});

const wipe = async () => void (await redis.admin.connection.flushall());
let beds = 0;
const nextKeys = (): Keys => {
  beds += 1;
  return new Keys(`bed-${beds}`, 3);
};

describe("the reference index of a watcher, and the records of a worker", () => {
  referenceIndexContract(async () => {
    const [client, keys, cluster] = [watcher, nextKeys(), "c1"];
    const index = new RedisReferenceIndex({ client, keys, cluster, clock: wallClock, names: namesForTest });
    await index.open();
    const records = new RedisWorkloadRecords({ client: worker, keys, log });
    return { index, cluster, records, lose: wipe, [Symbol.asyncDispose]: async () => undefined };
  });
});

describe("the ledger of rolls of a worker", () => {
  rollLedgerContract((limits, now) => {
    const ledger = new RedisRollLedger({ client: worker, keys: nextKeys(), limits, now });
    return { ledger, wipe };
  });
});

describe("the rollouts that a worker follows", () => {
  rolloutRunsContract(async () => ({
    runs: new RedisRolloutRuns({ client: worker, keys: nextKeys() }),
    [Symbol.asyncDispose]: async () => undefined,
  }));
});
