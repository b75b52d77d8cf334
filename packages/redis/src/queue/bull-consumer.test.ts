import { Fault } from "@fleet-reloader/domain/fault";
import type { DeliveryTimes, Handler } from "@fleet-reloader/engine/ports/workqueue";
import {
  atOnce,
  change,
  idle,
  recordRuns,
  requestFor,
} from "@fleet-reloader/testkit/contracts/queue-under-test";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { monotonicMs } from "../fixture/monotonic-ms.ts";
import { type QueueBed, startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const done = { type: "done", outcome: "unchanged" } as const;

const counts = (bed: QueueBed) =>
  bed.queue.queues[0]?.getJobCounts("failed", "active", "wait", "delayed", "prioritized");
const nothingHeld = { failed: 0, active: 0, wait: 0, delayed: 0, prioritized: 0 };

test("says when it was put into the queue and taken up, and at a repeat nothing of it", async () => {
  await using bed = await startQueue(redis.url);
  const seen: (DeliveryTimes | undefined)[] = [];
  bed.consume(async (_, { times }) => {
    seen.push(times);
    return seen.length === 1 ? { type: "again", afterMs: 1, reason: "Test" } : done;
  });
  await bed.queue.add([change("api", { quietPeriodMs: 500, maxWaitMs: 5000 })]);
  await bed.until("it ran twice", () => seen.length === 2);
  const [first, second] = seen;
  expect((first?.takenAtMs ?? 0) - (first?.seenAtMs ?? 0)).toBeGreaterThan(100);
  expect(second).toBeUndefined();
});

test("what is due counts as depth without a worker, what waits for quiet does not", async () => {
  await using bed = await startQueue(redis.url);
  await bed.queue.add([change("late", { quietPeriodMs: 600_000, maxWaitMs: 600_000 })]);
  expect(await bed.queue.depth()).toBe(0);
  await bed.queue.add([change("soon", { quietPeriodMs: 50, maxWaitMs: 5000 })]);
  await until("the depth is 1", async () => (await bed.queue.depth()) === 1);
});

test("a request that is alone is taken up by one question, and wakes nobody again", async () => {
  await using bed = await startQueue(redis.url);
  const runs = recordRuns(bed, () => done);
  /** How often Redis was asked for an entry. Finishing an entry asks for the next one too. */
  const asked = async (): Promise<number> => {
    const stats = await bed.client.connection.info("commandstats");
    return Number(/cmdstat_rpoplpush:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const before = await asked();
  const fromMs = monotonicMs();
  for (let count = 1; count <= 20; count += 1) {
    await bed.queue.add([atOnce()]);
    await bed.until("it ran", () => runs.length === count);
    await idle(bed);
  }
  // 4 for each where the worker asks again and is woken again. It also asks at its start, and after each 5 s without work.
  const idleAsks = 1 + Math.ceil((monotonicMs() - fromMs) / 5000);
  expect(await asked()).toBeLessThanOrEqual(before + 20 * 2 + idleAsks);
});

test("a worker is woken for what others leave in the queue, and for nothing else", async () => {
  await using bed = await startQueue(redis.url, "wakes");
  const markers = () => bed.client.connection.zrange("{wakes:00}:reconcile:marker", "0", "-1");
  const waiting = async (count: number) => (await bed.queue.depth()) === count;
  const end = Promise.withResolvers<typeof done>();
  await bed.queue.add([atOnce("api"), atOnce("web")]);
  bed.consume(() => end.promise, 1);
  await bed.until("one is left", () => waiting(1));
  expect(await markers()).toEqual(["0"]);
  bed.consume(() => end.promise, 2);
  await bed.until("none is left", () => waiting(0));
  await bed.until("nobody is woken", async () => (await markers()).length === 0);
  await bed.queue.add([atOnce("db")]);
  await bed.until("the worker that waits has taken it", () => waiting(0));
  end.resolve(done);
});

describe("a request in Redis", () => {
  // A reader of Redis learns which workloads exist, but nothing of the content of a source (I4).
  test("is an identity and nothing else", async () => {
    await using bed = await startQueue(redis.url);
    await bed.queue.add([change()]);
    const [job] = [...(await Promise.all(bed.queue.queues.map((queue) => queue.getJobs())))].flat();
    expect(job?.data).toEqual({ cluster: "c1", workload: "Deployment/ns/api" });
  });

  test("leaves nothing behind that would keep the next one out", async () => {
    await using bed = await startQueue(redis.url, "clean");
    const runs = recordRuns(bed, () => done);
    await bed.queue.add([change("api", { quietPeriodMs: 20, maxWaitMs: 5000 })]);
    await bed.until("it ran", () => runs.length === 1);
    await idle(bed);
    expect(await bed.client.connection.keys("{clean:00}:*:de:*")).toEqual([]);
    expect(await counts(bed)).toEqual(nothingHeld);
  });

  // An operator could not retry it by hand past the deduplication, so failures wait and come back.
  test("never ends as failed", async () => {
    await using bed = await startQueue(redis.url);
    const runs = recordRuns(bed, (_, count) => {
      if (count <= 5) throw count % 2 === 0 ? new Error("a bug") : new Fault("kube.conflict", "moved");
      return done;
    });
    await bed.queue.add([atOnce()]);
    await bed.until("it was tried again", () => runs.length >= 2);
    expect(await counts(bed)).toMatchObject({ failed: 0 });
  });

  test("takes no more room for each time it fails", async () => {
    // Each wait is the shortest that its back-off allows.
    await using bed = await startQueue(redis.url, undefined, { random: () => 0 });
    const runs = recordRuns(bed, () => {
      throw new Fault("kube.conflict", "moved");
    });
    await bed.queue.add([atOnce()]);
    await bed.until("it has failed again and again", () => runs.length > 20);
    await bed.leave();
    const [queue] = bed.queue.queues;
    const [job] = (await queue?.getJobs()) ?? [];
    expect(job?.attemptsMade).toBeGreaterThanOrEqual(20);
    const fields = await bed.client.connection.hgetall(queue?.toKey(job?.id ?? "") ?? "");
    expect(fields).toMatchObject({ failedReason: "moved" });
    expect(JSON.stringify(fields).length).toBeLessThan(1000);
  });

  test("that somebody else put there is dropped and told of; the others run", async () => {
    await using bed = await startQueue(redis.url);
    const runs = recordRuns(bed, () => done);
    const foreign = [
      { secret: "x" },
      { cluster: "c1", workload: "no key" },
      { cluster: 7, workload: "Deployment/ns/api" },
    ];
    for (const data of foreign)
      await bed.queue.queues[0]?.add("x", Object.assign({ cluster: "", workload: "" }, data));
    await bed.queue.add([atOnce()]);
    await bed.until("ours ran", () => runs.length === 1);
    await bed.until("they are told of", () => bed.log.messages("error").length === foreign.length);
    expect(bed.log.text).not.toContain('"x"');
    expect(runs.map(({ name }) => name)).toEqual(["api"]);
    expect(await counts(bed)).toMatchObject({ failed: 0 });
  });
});

// Only a worker makes a waiting change due, so a scaler of workers to zero has to count waiting changes.
test("a change that is due without a worker counts as waiting until one starts", async () => {
  await using bed = await startQueue(redis.url);
  await bed.queue.add([change("api", { quietPeriodMs: 50, maxWaitMs: 50 })]);
  await bed.elapse(300);
  expect(await counts(bed)).toMatchObject({ delayed: 1, wait: 0 });
  const runs = recordRuns(bed, () => done);
  await bed.until("it ran", () => runs.length === 1);
});

describe("many workers", () => {
  test("never handle one workload at the same time", async () => {
    await using bed = await startQueue(redis.url);
    let running = 0;
    let runningMost = 0;
    let runs = 0;
    const handler: Handler = async () => {
      running += 1;
      runs += 1;
      runningMost = Math.max(runningMost, running);
      await bed.elapse(30);
      running -= 1;
      return done;
    };
    for (const _ of [1, 2, 3]) bed.consume(handler);
    for (let count = 0; count < 20; count += 1) {
      await bed.queue.add([atOnce()]);
      await bed.elapse(10);
    }
    await bed.until("all ran", () => running === 0 && runs > 3);
    expect(runningMost).toBe(1);
  });
});

describe("a worker that stops", () => {
  test("lets what is under way end, and takes nothing more", async () => {
    await using bed = await startQueue(redis.url);
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    let ended = 0;
    const consumer = bed.consume(async () => {
      runs += 1;
      await gate.promise;
      ended += 1;
      return done;
    });
    await bed.queue.add([atOnce()]);
    await bed.until("it runs", () => runs === 1);
    const stopped = consumer.stop(10_000);
    // The worker may still get an entry that it requested before.
    const clients = async () => String(await bed.client.connection.client("LIST"));
    await bed.until("it waits for no more", async () => !(await clients()).includes("cmd=bzpopmin"));
    await bed.queue.add([atOnce("web")]);
    await bed.elapse(100);
    gate.resolve();
    await stopped;
    expect([runs, ended]).toEqual([1, 1]);
    expect(await counts(bed)).toMatchObject({ wait: 1, active: 0 });
  });

  // A pod has 30 s: unfinished requests go to another worker at once, not when the lock expires.
  test("gives back, uncounted and doubtful, what does not end in time", () =>
    atBest(async () => {
      await using bed = await startQueue(redis.url);
      let taken = false;
      const consumer = bed.consume(async (_, { signal }) => {
        taken = true;
        await wallClock.sleep(60_000, signal).catch(() => {
          throw new Fault("engine.aborted", "stopped");
        });
        return done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it runs", () => taken);
      const begun = bed.now();
      await consumer.stop(100);
      const [job] = (await bed.queue.queues[0]?.getJobs("delayed")) ?? [];
      expect(job?.data).toEqual({ cluster: "c1", workload: "Deployment/ns/api", isDoubtful: true });
      const runs = recordRuns(bed, () => done);
      await bed.until("another has it", () => runs.length === 1);
      expect((runs[0]?.at ?? 0) - begun).toBeLessThan(3000);
      expect(runs[0]?.delivery).toMatchObject({ attemptsMade: 0, isDoubtful: true });
    }));
});

test("a worker can be stopped also while Redis is away", async () => {
  await using own = await startRedis();
  await using bed = await startQueue(own.url);
  const consumer = bed.consume(async () => done);
  await bed.queue.add([atOnce()]);
  await bed.until("it works", () => bed.client.connections > 0);
  await own.kill();
  const begun = bed.now();
  await consumer.stop(200);
  // Without a deadline it would wait for Redis, which never comes back.
  expect(bed.now() - begun).toBeLessThan(60_000);
});

describe("a Redis that is flushed or restarted", () => {
  test("in the middle of a run stops no worker: what is added afterwards runs", async () => {
    await using own = await startRedis();
    await using bed = await startQueue(own.url);
    const gate = Promise.withResolvers<void>();
    const runs = recordRuns(bed, async (_, count) => {
      if (count === 1) await gate.promise;
      return done;
    });
    await bed.queue.add([atOnce(), change("waiting")]);
    await bed.until("it runs", () => runs.length === 1);
    await bed.client.connection.flushall();
    gate.resolve();
    await bed.queue.add([atOnce("web")]);
    await bed.until("the new one ran", () => runs.some(({ name }) => name === "web"));
    await bed.queue.add([atOnce("api")]);
    await bed.until("the same one ran", () => runs.filter(({ name }) => name === "api").length === 2);
  });

  test("is waited for: an addition made meanwhile is held until it is back, and runs", async () => {
    await using own = await startRedis();
    await using bed = await startQueue(own.url);
    const runs = recordRuns(bed, () => done);
    await bed.queue.add([atOnce()]);
    await bed.until("it ran", () => runs.length === 1);
    await own.kill();
    const added = bed.queue.add([{ ...atOnce(), request: requestFor("web") }]);
    await own.restart();
    await added;
    await bed.until("it ran", () => runs.some(({ name }) => name === "web"));
  });
});
