import { Fault } from "@fleet-reloader/domain/fault";
import { ClusterGate } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { gatedHandler } from "@fleet-reloader/engine/admission/gate/gated-handler";
import type { Handler } from "@fleet-reloader/engine/ports/workqueue";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { isForgotten } from "../ownership/gone-clusters.ts";
import { BullConsumer } from "./bull-consumer.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** Duration of a call without an answer. */
const hangMs = 60_000;
const sick = {
  "hangs-1": "hang",
  "hangs-2": "hang",
  "hangs-3": "hang",
  "refuses-1": "kube.unreachable",
  "refuses-2": "kube.unreachable",
  "fails-1": "kube.server-error",
} as const;
const queuedEach = 200;
/** Without the gate the first healthy request waits until all slots time out, several times over. */
const promptMs = 20_000;

function isSick(cluster: string): cluster is keyof typeof sick {
  return cluster in sick;
}

test("hundreds of requests for six sick clusters do not delay those of a healthy one", () =>
  atBest(async () => {
    await using bed = await startQueue(redis.url);
    const handledAt = new Map<string, number>();
    const handler: Handler = async ({ cluster, workload }, { signal }) => {
      if (isSick(cluster)) {
        const how = sick[cluster];
        if (how !== "hang") throw new Fault(how, "");
        await wallClock.sleep(hangMs, signal).catch(() => undefined);
        throw new Fault("kube.timeout", "");
      }
      handledAt.set(workload.name, performance.now());
      return { type: "done", outcome: "rolled" };
    };
    const slots = 64;
    const gate = new ClusterGate({
      slots,
      clock: wallClock,
      random: Math.random,
      meter: new CountingMeter(),
      nameOf: (cluster) => cluster,
      askedSinceMs: () => 0,
      reachOf: () => "reachable",
      probedInMs: () => undefined,
    });
    const requestOf = (cluster: string, name: string) => ({
      request: { cluster, workload: { kind: "Deployment", namespace: "ns", name } },
      ...({ quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" } as const),
    });
    for (const cluster of Object.keys(sick))
      await bed.queue.add(Array.from({ length: queuedEach }, (_, at) => requestOf(cluster, `w${at}`)));
    const consumer = new BullConsumer({
      ...{ client: bed.client, keys: bed.keys, log: bed.log, clock: bed.clock, random: Math.random },
      handler: gatedHandler(handler, gate, async () => false),
      concurrency: slots,
    });
    consumer.start();
    try {
      const latencies: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const addedAt = performance.now();
        await bed.queue.add([requestOf("healthy", `h${round}`)]);
        await bed.until("it is handled", () => handledAt.has(`h${round}`));
        latencies.push((handledAt.get(`h${round}`) ?? Number.POSITIVE_INFINITY) - addedAt);
      }
      expect(Math.max(...latencies)).toBeLessThan(promptMs);
    } finally {
      await consumer.stop(100);
    }
  }));

test("a request of a forgotten cluster ends; one of an unknown cluster waits", async () => {
  await using bed = await startQueue(redis.url);
  const gate = new ClusterGate({
    ...{ slots: 8, clock: wallClock, random: Math.random, meter: new CountingMeter() },
    nameOf: (cluster) => cluster,
    askedSinceMs: () => undefined,
    reachOf: () => "unknown",
    probedInMs: () => undefined,
  });
  const never: Handler = async () => {
    throw new Fault("engine.invariant", "it is not known here");
  };
  await bed.client.connection.set(bed.keys.cluster("known").epoch, "1");
  await bed.queue.add(
    ["known", "gone"].map((cluster) => ({
      request: { cluster, workload: { kind: "Deployment", namespace: "ns", name: "api" } },
      ...({ quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" } as const),
    })),
  );
  bed.consume(gatedHandler(never, gate, (cluster) => isForgotten(cluster, bed)));
  const waiting = async () =>
    (await Promise.all(bed.queue.queues.map((queue) => queue.getJobs()))).flatMap((jobs) =>
      jobs.flatMap((job) => (job.finishedOn === undefined ? [job.data.cluster] : [])),
    );
  await until("one is held", async () => (await bed.held.list()).length === 1);
  await until("the other has left", async () => (await waiting()).join() === "known");
  expect((await bed.held.list()).map(({ request }) => request.cluster)).toEqual(["known"]);
});
