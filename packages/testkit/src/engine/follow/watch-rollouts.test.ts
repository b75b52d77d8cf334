import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { Fault } from "@fleet-reloader/domain/fault";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { watchRollouts } from "@fleet-reloader/engine/follow/watch-rollouts";
import { describe, expect, test } from "vitest";
import { healthy, late, rolledDeployment, starting } from "../../beds/rolled-deployment.ts";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";
import { MemoryWorkqueue } from "../../memory/memory-workqueue.ts";

/** What an autoscaler counts ahead. */
const horizonMs = 60_000;

/** A rollout that does not become healthy, some time after its roll. */
async function slowRollout(afterMs: number) {
  const bed = await rolledDeployment();
  bed.cluster.setStatus(bed.api, starting);
  await bed.elapse(afterMs);
  const work = async () => (await bed.queue.work(horizonMs)).work;
  return { ...bed, work };
}

describe("a rollout that is not healthy after 15 s", () => {
  test("is no work for a worker, and no hold", async () => {
    const bed = await slowRollout(10_000);
    expect(await bed.work()).toBe(1);
    await bed.elapse(6000);
    expect([await bed.work(), await bed.queue.count(), bed.queue.held]).toEqual([0, 0, []]);
    expect([bed.runs.size, bed.results(), bed.settled]).toEqual([1, [], []]);
  });

  test("asks for no worker in ten minutes, and then once: it is stalled", async () => {
    const bed = await slowRollout(16_000);
    const asked = bed.queue.additions.length;
    await bed.elapse(600_000);
    expect([bed.queue.additions.length - asked, bed.results()]).toEqual([0, []]);
    await bed.elapse(60_000);
    expect([bed.queue.additions.length - asked, bed.results()]).toEqual([1, ["stalled NoProgress"]]);
    await bed.elapse(120_000);
    expect(bed.queue.additions.length - asked).toBe(1);
    expect([bed.results(), bed.settled, bed.runs.size]).toEqual([["stalled NoProgress"], ["api"], 0]);
  });

  test.each([
    { how: "healthy", status: healthy, told: "healthy Available" },
    { how: "failed", status: late, told: "failed ProgressDeadlineExceeded" },
  ])("is told once when it is $how", async ({ status, told }) => {
    const bed = await slowRollout(100_000);
    bed.cluster.setStatus(bed.api, status);
    await bed.elapse(36_000);
    expect([bed.results(), bed.settled]).toEqual([[told], ["api"]]);
    await bed.elapse(120_000);
    expect([bed.results(), bed.history.filter(({ type }) => type === "outcome").length]).toEqual([[told], 1]);
    expect(await bed.work()).toBe(0);
  });

  test("is settled, and nothing is told of it, when its workload is gone", async () => {
    const bed = await slowRollout(60_000);
    bed.cluster.deleteWorkload(bed.api);
    await bed.elapse(36_000);
    expect([bed.results(), bed.settled, bed.runs.size]).toEqual([[], ["api"], 0]);
  });

  test("is told although the request for it was lost with its worker", async () => {
    const bed = await slowRollout(60_000);
    bed.cluster.setStatus(bed.api, late);
    await bed.clock.advance(36_000);
    expect(await bed.work()).toBe(1);
    bed.queue.wipe();
    await bed.clock.advance(36_000);
    expect([await bed.work(), bed.results()]).toEqual([1, []]);
    await bed.elapse(1000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded"]);
  });

  test("and rolled again is one rollout, with a clock of its own", async () => {
    const bed = await slowRollout(600_000);
    await bed.change("3");
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(600_000);
    expect(bed.results()).toEqual([]);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(36_000);
    expect(bed.results()).toEqual(["healthy Available"]);
  });
});

/** A watcher of a cluster whose workloads cannot be read, and one rollout that was left to it. */
async function unreadable(fault: Fault, spentMs: number) {
  const clock = new ManualClock();
  const runs = new MemoryRolloutRuns();
  const queue = new MemoryWorkqueue({ clock });
  const over = new AbortController();
  const request = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } };
  const run = { rolledAtMs: clock.now() - spentMs, sources: [] };
  await runs.start([{ request, run }]);
  await runs.leave([{ request, run, lookAtMs: clock.now() }]);
  let looks = 0;
  const refuse = async () => {
    looks += 1;
    throw fault;
  };
  const api = { cluster: "c1", readWorkload: refuse, listPods: refuse };
  const settings = { workloadKinds: [deployment], dialect: defaultDialect };
  const log = new CollectedLog();
  const ended = watchRollouts({ api, runs, queue, settings, shown: undefined, clock, log }, over.signal);
  await clock.advance(100_000);
  over.abort();
  await ended;
  return { looks, requests: queue.additions.map(({ purpose }) => purpose) };
}

test("a watcher that may not read a workload asks a worker, every half minute", async () => {
  const { looks, requests } = await unreadable(new Fault("kube.forbidden", "no"), 60_000);
  expect(looks).toBe(requests.length);
  expect(new Set(requests)).toEqual(new Set(["follow"]));
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(looks).toBeLessThanOrEqual(4);
});

test("a cluster that fails is looked at again, and no worker is asked before an hour", async () => {
  const soon = await unreadable(new Fault("kube.server-error", "answered 500"), 60_000);
  expect(soon.looks).toBeGreaterThanOrEqual(2);
  expect(soon.requests).toEqual([]);
  const afterAnHour = await unreadable(new Fault("kube.server-error", "answered 500"), 3_600_000);
  expect(afterAnHour.requests).toContain("follow");
});
