import { callerWith } from "@fleet-reloader/dashboard/fixture/acting-fleet";
import { startServedFleet } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { openActedFleet } from "@fleet-reloader/wiring/acted-fleet";
import { expect, test } from "vitest";
import { startFleetBed } from "./fixture/fleet-bed.ts";

const ann = callerWith("ann", [{ role: "operator", cluster: "", namespace: "" }]);

/** A dashboard on which Ann acts, beside the processes of a fleet, as its user of Redis may. */
async function startActing() {
  const redis = await startRedisOfRoles();
  const bed = await startFleetBed(redis.url);
  const { keys } = bed;
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.urlOf("operator")), log);
  const clock = new RedisClock({ client, keys, local: systemClock });
  await clock.read();
  const queue = new BullWorkqueue({ client, keys, clock, isGuest: true });
  const fleet = openActedFleet({ client, keys, queue, clock, log, lengthMax: 1000 });
  const acts = { identify: async () => ann, freezes: undefined, fleet };
  const dashboard = await startServedFleet({ acts, reader: new HistoryReader({ client, keys }) });
  return {
    bed,
    redis,
    async act(name: string, body: object) {
      const headers = { "content-type": "application/json" };
      const sent = await dashboard.ask(`/api/v1/acts/${name}`, headers, "POST", JSON.stringify(body));
      return { status: sent.status, answer: JSON.parse(sent.body) };
    },
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      await queue.close();
      await client.close();
      await bed[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("an act over the API leaves in Redis what its command leaves", async () => {
  await using acting = await startActing();
  const { bed, redis } = acting;
  const open = JSON.stringify({ rolls: [1, 2], trips: 1, till: bed.clock.now() + 60_000 });
  const breaker = `${bed.keys.rollLedger}:k:s|uid-1|Secret/shop/db|password`;
  for (const [name, object] of [
    ["retry", "deploy/api"],
    ["replay", "Secret/db"],
    ["release", "Secret/db"],
  ] as const) {
    await bed.client.connection.set(breaker, open);
    const code = await bed.run(name, object, "--cluster", "nova", "--reason", "incident", "--by", "ann");
    expect(code).toMatchObject({ code: 0, errors: "" });
    await bed.client.connection.set(breaker, open);
    const sent = await acting.act(name, { object, cluster: "nova", reason: "incident", expect: 1 });
    expect(sent).toMatchObject({ status: 200, answer: { count: 1, isDone: true } });
    expect(await bed.client.connection.exists(breaker)).toBe(name === "release" ? 0 : 1);
    const [byCommand, byApi] = (await bed.history()).slice(-2).map((record) => withoutTime(record));
    expect(byApi).toEqual(byCommand);
    expect(byApi).toMatchObject({ action: name, by: "ann", note: "incident (1)" });
  }
  expect(await bed.queue.waits(bed.request("uid-1"))).toBe(true);
  expect(await bed.queue.depth()).toBe(1);
  expect(await redis.denied()).toEqual([]);
});

function withoutTime(record: unknown): object {
  return Object.fromEntries(Object.entries(Object(record)).filter(([name]) => name !== "time"));
}

test("names what is meant by the names of the clusters, and refuses another count", async () => {
  await using acting = await startActing();
  const everywhere = await acting.act("retry", { object: "deploy/api", dryRun: true });
  expect(everywhere).toMatchObject({
    status: 200,
    answer: {
      count: 2,
      workloads: [
        { cluster: "nova", workload: "Deployment/shop/api" },
        { cluster: "otech62", workload: "Deployment/shop/api" },
      ],
    },
  });
  const late = await acting.act("retry", { object: "deploy/api", reason: "incident", expect: 37 });
  expect(late).toMatchObject({ status: 409, answer: { field: "expect", count: 2 } });
  expect([await acting.bed.queue.depth(), await acting.bed.history()]).toEqual([0, []]);
});
