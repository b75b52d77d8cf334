import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { HistoryReader } from "../history/history-reader.ts";
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
  const reader = new HistoryReader({ client, keys });
  const write = (record: HistoryRecord) =>
    client.connection.xadd(keys.history(record.cluster?.id), "*", "record", JSON.stringify(record));
  const asked = { cluster: "uid-1", workload: { kind: "Deployment", namespace: "shop", name: "api" } };
  const told = () => latestDiscard(asked, reader);
  const discard = { action: "discarded", by: "ann", why: "retired" };
  await write(actionOn("uid-1", "other", discard));
  await write(actionOn("uid-2", "api", discard));
  expect(await told()).toBeUndefined();
  await write(actionOn("uid-1", "api", discard));
  // What was written in this very millisecond is given out in the next.
  await until("the discard is read", async () => (await told()) !== undefined);
  expect(await told()).toEqual({ by: "ann", reason: "retired", time });
  await write(actionOn("uid-1", "api", {}));
  await until("the roll is read", async () => (await told()) === undefined);
});
