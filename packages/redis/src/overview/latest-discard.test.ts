import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { latestDiscard } from "./latest-discard.ts";

const time = "2026-07-01T12:00:00.000Z";

function actionOn(cluster: string, name: string, own: object): HistoryRecord {
  const workload = { kind: "Deployment", namespace: "shop", name };
  const at = { v: 1, time, cluster: { id: cluster, name: cluster } } as const;
  return { ...at, type: "action", workload, action: "rolled", sources: [], ...own };
}

test("the discard of a last roll is told until the workload is rolled again", async () => {
  await using redis = await startRedis();
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new RedisClient(redisAddress(redis.url), new CollectedLog()), (its) =>
    its.close(),
  );
  const keys = new Keys("fleet-reloader", 2);
  const write = (record: HistoryRecord) =>
    client.connection.xadd(keys.history(record.cluster?.id), "*", "record", JSON.stringify(record));
  const asked = { cluster: "uid-1", workload: { kind: "Deployment", namespace: "shop", name: "api" } };
  const told = () => latestDiscard(asked, { client, keys });
  const discard = { action: "discarded", by: "ann", why: "retired" };
  await write(actionOn("uid-1", "other", discard));
  await write(actionOn("uid-2", "api", discard));
  expect(await told()).toBeUndefined();
  await write(actionOn("uid-1", "api", discard));
  expect(await told()).toEqual({ by: "ann", reason: "retired", time });
  await write(actionOn("uid-1", "api", {}));
  expect(await told()).toBeUndefined();
  await write(actionOn("uid-1", "api", discard));
  for (let count = 0; count < 600; count += 1) await write(actionOn("uid-1", "other", {}));
  expect(await told()).toEqual({ by: "ann", reason: "retired", time });
});
