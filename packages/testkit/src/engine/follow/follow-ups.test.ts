import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { createFollowUps } from "@fleet-reloader/engine/follow/follow-ups";
import { expect, test } from "vitest";
import { createTestBed } from "../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";

test("a thousand rolls go into the queue in one call, and those in hand at the end too", async () => {
  const bed = createTestBed();
  const runs = new MemoryRolloutRuns();
  const calls: number[] = [];
  const add = async (additions: readonly object[]) => void calls.push(additions.length);
  const followUps = createFollowUps({ ...bed, runs, queue: { add }, firstCheckMs: 5000 });
  const started = (name: string) => {
    const workload: WorkloadRef = { kind: "Deployment", namespace: "ns", name };
    return { request: { cluster: "c1", workload }, run: { rolledAtMs: 0, sources: [] } };
  };
  for (let i = 0; i < 1000; i += 1) followUps.rolled(started(`w${i}`));
  expect(calls).toEqual([]);
  await bed.clock.advance(1000);
  followUps.rolled(started("last"));
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
  const workload: WorkloadRef = { kind: "Deployment", namespace: "ns", name: "api" };
  followUps.rolled({ request: { cluster: "c1", workload }, run: { rolledAtMs: 0, sources: [] } });
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
