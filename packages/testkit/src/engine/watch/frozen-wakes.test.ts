import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { watchHolds } from "@fleet-reloader/engine/admission/held-requests";
import { createHoldCheck } from "@fleet-reloader/engine/admission/hold-check";
import { expect, test } from "vitest";
import { auto } from "../../beds/test-bed.ts";
import { watching } from "../../beds/watched-cluster.ts";

const freeze = { "fleet-reloader.io/freeze": "until the audit is over" };
/** In the double of an API server, annotations stay until they are replaced. */
const thaw = { "fleet-reloader.io/freeze": "false" };
/** What an autoscaler counts ahead. */
const horizonMs = 60_000;

/** A watcher that also ends holds, and no worker but the one that an autoscaler starts. */
async function startZero() {
  const bed = await watching();
  const { clock, log, queue } = bed;
  const over = new AbortController();
  const check = createHoldCheck({
    freezes: { now: async () => ({ type: "known", freezes: [] }) },
    clusterOf: () => ({ name: "c1", labels: {} }),
    reachOf: () => "reachable",
    annotationsOf: () => bed.watcher.annotations,
    clock,
  });
  const ended = watchHolds({ held: queue, check, clock, log }, over.signal);
  let wakes = 0;
  return {
    bed,
    get wakes() {
      return wakes;
    },
    /** Each second the autoscaler counts the work; a worker that it starts does what is due. */
    async elapse(seconds: number): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        await clock.advance(1000);
        if ((await queue.work(horizonMs)).work === 0) continue;
        wakes += 1;
        await bed.elapse(200);
      }
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await ended;
      await bed[Symbol.asyncDispose]();
    },
  };
}

/** Deployments that use one ConfigMap, adopted and at rest. */
async function startWorkloads(count: number, annotations: Readonly<Record<string, string>> = {}) {
  const zero = await startZero();
  const { cluster } = zero.bed;
  const template = templateUsing({ app: {} });
  const names = Array.from({ length: count }, (_, at) => `w${at}`);
  const refs = names.map((name) =>
    cluster.setWorkload(name, { template, annotations: { ...auto, ...annotations } }),
  );
  await zero.elapse(10);
  const rolled = () => refs.filter((ref) => cluster.rolls(ref).length > 0).length;
  return { zero, cluster, template, refs, rolled };
}

/** Ten minutes of 1,000 workloads are millions of steps, and the machine may do other things. */
const manyMs = 180_000;

test(
  "1,000 workloads held by annotation wake no worker after the first answer",
  async () => {
    const { zero, cluster, rolled } = await startWorkloads(1000, freeze);
    await using _ = zero;
    cluster.setSource("ConfigMap", "app", { a: "2" });
    await zero.elapse(10);
    expect(await zero.bed.queue.count()).toBe(1000);
    const { wakes } = zero;
    await zero.elapse(600);
    expect(zero.wakes - wakes).toBe(0);
    expect(rolled()).toBe(0);
  },
  manyMs,
);

test("a workload whose annotation is removed is rolled at once, by one wake", async () => {
  const { zero, cluster, template, refs, rolled } = await startWorkloads(3, freeze);
  await using _ = zero;
  cluster.setSource("ConfigMap", "app", { a: "2" });
  await zero.elapse(60);
  const { wakes } = zero;
  cluster.setWorkload("w1", { template, annotations: { ...auto, ...thaw } });
  await zero.elapse(3);
  expect(cluster.rolls(refs[1])).toHaveLength(1);
  expect(rolled()).toBe(1);
  await zero.elapse(600);
  expect(zero.wakes - wakes).toBe(1);
});

test("a frozen source holds its workloads without a wake until it is thawed", async () => {
  const { zero, cluster, rolled } = await startWorkloads(20);
  await using _ = zero;
  cluster.setSource("ConfigMap", "app", { a: "2" }, freeze);
  await zero.elapse(10);
  const { wakes } = zero;
  await zero.elapse(600);
  expect(zero.wakes - wakes).toBe(0);
  expect(rolled()).toBe(0);
  cluster.setSource("ConfigMap", "app", { a: "2" });
  await zero.elapse(5);
  expect(rolled()).toBe(20);
});

test("streams that list again wake nobody, and a thaw that they missed is found", async () => {
  const { zero, cluster, rolled, template } = await startWorkloads(5, freeze);
  await using _ = zero;
  cluster.setSource("ConfigMap", "app", { a: "2" });
  await zero.elapse(60);
  const { wakes } = zero;
  cluster.cutWatches();
  await zero.elapse(60);
  expect(zero.wakes - wakes).toBe(0);
  cluster.holdWatches();
  cluster.setWorkload("w2", { template, annotations: { ...auto, ...thaw } });
  cluster.cutWatches();
  await zero.elapse(60);
  expect(rolled()).toBe(1);
  expect(zero.wakes - wakes).toBe(1);
});
