import type { ChangeRecord } from "@fleet-reloader/engine/history/history";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { RedisHistory } from "@fleet-reloader/redis/history/redis-history";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { recordLateUsers } from "./record-late-users.ts";

/** Rounds pass quickly, but `now` is the real time. */
const clock = {
  now: () => wallClock.now(),
  monotonic: () => wallClock.monotonic(),
  sleep: (ms: number, signal: AbortSignal) => wallClock.sleep(Math.min(ms, 50), signal),
};

function changeOf(cluster: string): ChangeRecord {
  const writtenMs = Math.floor(clock.now() / 1000) * 1000 - 30_000;
  return {
    v: 1,
    time: new Date(writtenMs + 2000).toISOString(),
    cluster: { id: cluster, name: cluster },
    type: "change",
    change: `${cluster}/settings@7`,
    source: { kind: "ConfigMap", namespace: "shop", name: "settings" },
    resourceVersion: "7",
    actor: { manager: "kubectl-edit", operation: "Update", time: new Date(writtenMs).toISOString() },
  };
}

test("who made a change is recorded by the process that watches its cluster", async () => {
  await using redis = await startRedis();
  const log = new CollectedLog();
  await using client = closing(new RedisClient(redisAddress(redis.url), log));
  const keys = new Keys("late", 2);
  const meter = new CountingMeter();
  const history = new RedisHistory({
    client,
    keys,
    clock,
    log,
    meter,
    retentionMs: 3_600_000,
    lengthMax: 100,
  });
  const lifetime = new AbortController();
  const labelsOf = new Map<string, Readonly<Record<string, string>>>([
    ["ours", {}],
    ["other", {}],
    ["watching", { "fleet-reloader.io/event-source": "watch" }],
  ]);
  const running = recordLateUsers(
    {
      history,
      fleet: { get: (id) => ({ labels: labelsOf.get(id) }) as never },
      eventSource: "both",
      watches: (cluster) => cluster !== "other",
      client,
      keys,
      clock,
      log,
    },
    lifetime.signal,
  );
  const changes = [...labelsOf.keys()].map(changeOf);
  history.append(changes);
  const writes = new RedisAuditedWrites({ client, keys });
  for (const { actor, cluster, source } of changes) {
    const atSeconds = Date.parse(actor?.time ?? "") / 1000;
    const by = { user: "ann", groups: [], userAgent: "kubectl" };
    const write = { source, manager: "kubectl-edit", fromSeconds: atSeconds, toSeconds: atSeconds, by };
    await writes.add(cluster?.id ?? "", [write]);
  }
  const reader = new HistoryReader({ client, keys });
  const named = async () => {
    const found: string[] = [];
    for await (const { record } of reader.read({ since: { ms: 0 }, limit: 100 }))
      if (record.type === "change" && record.actor?.users !== undefined)
        found.push(`${record.cluster?.name} ${record.actor.users[0]?.user}`);
    return found;
  };
  await until("a user is named", async () => (await named()).length > 0);
  expect(await named()).toEqual(["ours ann"]);
  lifetime.abort();
  await running;
  await history.stop(10_000);
});

function closing(client: RedisClient): RedisClient & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
