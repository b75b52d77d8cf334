import { Fault } from "@fleet-reloader/domain/fault";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { createFollowUps } from "@fleet-reloader/engine/follow/follow-ups";
import type { StartedRun } from "@fleet-reloader/engine/follow/rollout-runs";
import { describe, expect, test, vi } from "vitest";
import { createTestBed } from "../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";

test("a thousand rolls go into the queue in one call, and those in hand at the end too", async () => {
  const bed = createTestBed();
  const runs = new MemoryRolloutRuns();
  const calls: number[] = [];
  const add = async (additions: readonly object[]) => void calls.push(additions.length);
  const followUps = createFollowUps({ ...bed, runs, queue: { add }, firstCheckMs: 5000 });
  for (let i = 0; i < 1000; i += 1) followUps.rolled(startedAt(0, `w${i}`));
  expect(calls).toEqual([]);
  await bed.clock.advance(1000);
  followUps.rolled(startedAt(0, "last"));
  await followUps.stop(1000);
  expect(calls).toEqual([1000, 1]);
  expect(runs.size).toBe(1001);
});

test("whoever stops waits also for rolls that are just being written, but not for ever", async () => {
  const bed = createTestBed();
  const answer = Promise.withResolvers<void>();
  const followUps = createFollowUps({
    ...{ ...bed, runs: new MemoryRolloutRuns(), firstCheckMs: 5000 },
    queue: { add: () => answer.promise },
  });
  followUps.rolled(startedAt(0, "api"));
  await bed.clock.advance(1000);
  const stopped: string[] = [];
  void followUps.stop(60_000).then(() => stopped.push("patient"));
  void followUps.stop(1000).then(() => stopped.push("impatient"));
  await bed.clock.advance(900);
  expect(stopped).toEqual([]);
  await bed.clock.advance(200);
  expect(stopped).toEqual(["impatient"]);
  answer.resolve();
  await bed.clock.advance(1);
  expect(stopped).toEqual(["impatient", "patient"]);
});

describe("while Redis refuses writes", () => {
  const oom = new Fault("redis.unavailable", "OOM command not allowed when used memory > 'maxmemory'.");

  test("a roll waits, and is followed as soon as the queue takes its request", async () => {
    const bed = createTestBed();
    const runs = new MemoryRolloutRuns();
    const [starts, adds] = [vi.spyOn(runs, "start"), vi.fn().mockRejectedValueOnce(oom)];
    const followUps = createFollowUps({ ...bed, runs, queue: { add: adds }, firstCheckMs: 5000 });
    followUps.rolled(startedAt(1, "api"));
    await bed.clock.advance(10_000);
    expect(adds.mock.calls.map(([additions]) => additions.length)).toEqual([1, 1]);
    // A run that has begun may have ended by then.
    expect(starts).toHaveBeenCalledTimes(1);
    expect(bed.log.messages("warn")).toEqual(["rolls are followed later"]);
  });

  test("of two rolls of a workload the newer one is followed", async () => {
    const bed = createTestBed();
    const runs = new MemoryRolloutRuns();
    vi.spyOn(runs, "start").mockRejectedValueOnce(oom);
    const followUps = createFollowUps({ ...bed, runs, queue: bed.queue, firstCheckMs: 5000 });
    followUps.rolled(startedAt(1, "api"));
    await bed.clock.advance(250);
    followUps.rolled(startedAt(2, "api"));
    await bed.clock.advance(10_000);
    expect(await runs.find(startedAt(2, "api").request)).toMatchObject({ rolledAtMs: 2 });
  });

  test("the rolls of a cluster whose runs are refused delay no other cluster", async () => {
    const bed = createTestBed();
    const runs = new MemoryRolloutRuns();
    const start = runs.start.bind(runs);
    vi.spyOn(runs, "start").mockImplementation(async (started) => {
      if (started.some(({ request }) => request.cluster === "c1")) throw oom;
      await start(started);
    });
    const followUps = createFollowUps({ ...bed, runs, queue: bed.queue, firstCheckMs: 5000 });
    for (const cluster of ["c1", "c2"]) followUps.rolled(startedAt(1, "api", cluster));
    await bed.clock.advance(250);
    expect(bed.queue.additions.map(({ request }) => request.cluster)).toEqual(["c2"]);
    await followUps.stop(1000);
  });

  test("whoever stops tries once more, and gives up what is refused", async () => {
    const bed = createTestBed();
    const add = vi.fn().mockRejectedValue(oom);
    const followUps = createFollowUps({
      ...{ ...bed, runs: new MemoryRolloutRuns() },
      ...{ queue: { add }, firstCheckMs: 5000 },
    });
    followUps.rolled(startedAt(1, "api"));
    await bed.clock.advance(250);
    await followUps.stop(60_000);
    expect(add).toHaveBeenCalledTimes(2);
    expect(bed.log.messages("warn")).toEqual(["rolls are followed later", "rolls are not followed"]);
    expect(bed.clock.sleeping).toBe(0);
  });
});

function startedAt(rolledAtMs: number, name: string, cluster = "c1"): StartedRun {
  const workload: WorkloadRef = { kind: "Deployment", namespace: "ns", name };
  return { request: { cluster, workload }, run: { rolledAtMs, sources: [] } };
}
