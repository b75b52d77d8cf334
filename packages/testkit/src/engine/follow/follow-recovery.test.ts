import { Fault } from "@fleet-reloader/domain/fault";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import { describe, expect, test } from "vitest";
import { healthy, late, rolledDeployment, starting } from "../../beds/rolled-deployment.ts";

const hourMs = 3_600_000;

/** A rollout that ended badly. */
async function lateRollout(options: Parameters<typeof rolledDeployment>[0] = {}) {
  const bed = await rolledDeployment(options);
  bed.cluster.setStatus(bed.api, late);
  await bed.elapse(10_000);
  return bed;
}

describe("a rollout that ended badly", () => {
  test("and is healthy after all is told as healthy, once, and its change is done", async () => {
    const bed = await lateRollout();
    expect(foldChanges(bed.history).unsuccessful()).toMatchObject([{ progress: "failed" }]);
    await bed.elapse(120_000);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(36_000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded", "healthy Available"]);
    expect(foldChanges(bed.history).unsuccessful()).toEqual([]);
    expect(foldChanges(bed.history).summaries()).toMatchObject([{ isDone: true, workloads: { healthy: 1 } }]);
    expect([bed.runs.size, bed.runs.kept, bed.queue.held]).toEqual([0, 0, []]);
    await bed.elapse(120_000);
    expect(bed.results().length).toBe(2);
  });

  test("counts once in the metrics, as it ended first", async () => {
    const bed = await lateRollout();
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(36_000);
    expect(bed.log.text).toContain("rollout recovered");
    expect(bed.meter.count("rollout c1 Deployment failed")).toBe(1);
    expect(bed.meter.count("rollout c1 Deployment healthy")).toBe(0);
  });

  test("is read ever more seldom, asks for no worker and is forgotten after a day", async () => {
    const bed = await lateRollout();
    const [asked, read] = [bed.queue.additions.length, bed.cluster.calls.length];
    await bed.clock.advance(hourMs);
    expect(bed.cluster.calls.length - read).toBeLessThan(40);
    expect(bed.cluster.calls.slice(read).every(({ verb }) => verb === "read")).toBe(true);
    expect(bed.queue.additions.length).toBe(asked);
    await bed.clock.advance(24 * hourMs);
    await bed.elapse(1000);
    expect([bed.results().length, bed.runs.kept]).toEqual([1, 0]);
    expect(bed.cluster.calls.length - read).toBeLessThan(250);
  });

  test("and is rolled again is one rollout, which ends for itself", async () => {
    const bed = await lateRollout();
    await bed.change("3");
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(40_000);
    expect([bed.results().length, bed.runs.size, bed.runs.kept]).toEqual([1, 1, 0]);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(36_000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded", "healthy Available"]);
    expect(bed.meter.count("rollout c1 Deployment healthy")).toBe(1);
  });

  test("does not recover by another workload of its name", async () => {
    const bed = await lateRollout();
    bed.cluster.deleteWorkload(bed.api);
    bed.cluster.setWorkload("api", {});
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(36_000);
    expect([bed.results(), bed.runs.kept]).toEqual([["failed ProgressDeadlineExceeded"], 0]);
  });

  test("and whose workload is deleted then has failed no more", async () => {
    const bed = await lateRollout();
    bed.cluster.deleteWorkload(bed.api);
    await bed.elapse(36_000);
    expect([foldChanges(bed.history).unsuccessful(), bed.runs.kept]).toEqual([[], 0]);
  });

  test("recovers although the API server fails for some time", async () => {
    let isDown = false;
    const bed = await lateRollout({
      before: () => {
        if (isDown) throw new Fault("kube.server-error", "answered 500");
      },
    });
    isDown = true;
    await bed.elapse(60_000);
    expect(await bed.reconcile(bed.api, { purpose: "follow" })).toMatchObject({ type: "done" });
    isDown = false;
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(60_000);
    expect(bed.results().at(-1)).toBe("healthy Available");
  });

  test("gives its place in a budget back by whoever looks next", async () => {
    const bed = await lateRollout();
    bed.settled.length = 0;
    await bed.reconcile(bed.api, { purpose: "follow" });
    expect([bed.settled, bed.runs.kept]).toEqual([["api"], 1]);
  });
});
