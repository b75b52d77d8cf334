import type { HistoryRecord, OutcomeRecord } from "@fleet-reloader/engine/history/history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { latestRoll } from "./latest-roll.ts";

const time = "2026-07-01T12:00:00.000Z";

const asked = { cluster: "uid-1", workload: { kind: "Deployment", namespace: "shop", name: "api" } };

function actionOn(cluster: string, name: string, own: object): HistoryRecord {
  const workload = { kind: "Deployment", namespace: "shop", name };
  const at = { v: 1, time, cluster: { id: cluster, name: cluster } } as const;
  return { ...at, type: "action", workload, action: "rolled", sources: [], ...own };
}

function outcomeOf(result: OutcomeRecord["result"], own: Partial<OutcomeRecord> = {}): HistoryRecord {
  const { workload } = asked;
  const at = { v: 1, time, cluster: { id: "uid-1", name: "uid-1" } } as const;
  return { ...at, type: "outcome", workload, result, reason: "Available", seconds: 1, sources: [], ...own };
}

/** A history to write to, and what it says about the last roll of `asked`. */
async function startHistory() {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const client = stack.adopt(new RedisClient(redisAddress(redis.url), new CollectedLog()), (its) =>
    its.close(),
  );
  const keys = new Keys("fleet-reloader", 2);
  const write = (record: HistoryRecord) =>
    client.connection.xadd(keys.history(record.cluster?.id), "*", "record", JSON.stringify(record));
  const told = () => latestRoll(asked, { client, keys });
  const all = stack.move();
  return { write, told, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test("a failure of a last roll is told until the workload is rolled again", async () => {
  await using history = await startHistory();
  const { told, write } = history;
  await write(actionOn("uid-1", "api", { action: "failed", fault: "kube.rejected" }));
  const refused = { result: "failed", reason: "kube.rejected", meaning: expect.any(String), time };
  expect(await told()).toEqual({ failed: refused });
  await write(actionOn("uid-1", "api", {}));
  expect(await told()).toEqual({});
  await write(outcomeOf("stalled", { reason: "Unschedulable", message: "no node has room" }));
  const meaning = "No node has room for a new pod or may run it.";
  const stalled = { result: "stalled", reason: "Unschedulable", meaning, message: "no node has room", time };
  expect(await told()).toEqual({ failed: stalled });
  await write(outcomeOf("healthy"));
  expect(await told()).toEqual({});
});

test("the discard of a last roll is told until the workload is rolled again", async () => {
  await using history = await startHistory();
  const { told, write } = history;
  const discard = { action: "discarded", by: "ann", why: "retired" };
  await write(actionOn("uid-1", "other", discard));
  await write(actionOn("uid-2", "api", discard));
  expect(await told()).toEqual({});
  await write(actionOn("uid-1", "api", discard));
  expect(await told()).toEqual({ discarded: { by: "ann", reason: "retired", time } });
  await write(actionOn("uid-1", "api", {}));
  expect(await told()).toEqual({});
  await write(actionOn("uid-1", "api", discard));
  for (let count = 0; count < 600; count += 1) await write(actionOn("uid-1", "other", {}));
  expect(await told()).toEqual({ discarded: { by: "ann", reason: "retired", time } });
});
