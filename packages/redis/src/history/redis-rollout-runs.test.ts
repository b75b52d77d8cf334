import { rolloutRunsContract } from "@fleet-reloader/testkit/contracts/rollout-runs-contract";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisRolloutRuns } from "./redis-rollout-runs.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

let beds = 0;

describe("the runs in Redis", () =>
  rolloutRunsContract(async () => {
    beds += 1;
    const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
    const runs = new RedisRolloutRuns({ client, keys: new Keys(`runs-${beds}`) });
    return { runs, [Symbol.asyncDispose]: () => client.close() };
  }));
