import { Fault } from "@fleet-reloader/domain/fault";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import { describe, expect, test } from "vitest";
import { healthy, late, rolledDeployment, starting } from "../../beds/rolled-deployment.ts";

const missingKey = {
  metadata: {
    name: "api-1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { "pod-template-hash": "1" },
  },
  status: {
    containerStatuses: [
      {
        name: "app",
        state: { waiting: { reason: "CreateContainerConfigError", message: "couldn't find key x" } },
      },
    ],
  },
};

const looks = (bed: { readonly cluster: { readonly calls: readonly object[] } }): number =>
  bed.cluster.calls.length;

describe("a roll that was written", () => {
  test("is followed until it is healthy, and everybody is told", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(7000);
    expect(bed.results()).toEqual([]);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(5000);
    expect(bed.results()).toEqual(["healthy Available"]);
    expect(bed.meter.count("rollout c1 Deployment healthy")).toBe(1);
    expect(bed.settled).toEqual(["api"]);
    expect([bed.runs.size, bed.queue.held]).toEqual([0, []]);
    expect(bed.ended[0]?.seconds).toBeGreaterThanOrEqual(10);
    const outcome = bed.history.find((record) => record.type === "outcome");
    const [cause] = outcome?.sources ?? [];
    expect(cause).toMatchObject({ name: "app", reason: "SourceChanged" });
    expect(bed.history.find((record) => record.type === "change")?.change).toBe(cause?.change);
  });

  test("is first looked at after five seconds, and ever more seldom", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    const before = looks(bed);
    await bed.elapse(4900);
    expect(looks(bed)).toBe(before);
    await bed.elapse(115_000);
    const reads = bed.cluster.calls.slice(before).filter(({ verb }) => verb === "read");
    expect(reads.length).toBe(6);
  });

  test("has failed when its controller gives up", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, late);
    await bed.elapse(6000);
    expect(bed.ended).toMatchObject([
      { result: "failed", reason: "ProgressDeadlineExceeded", message: "timed out" },
    ]);
    expect(bed.log.text).toContain("rollout ended");
  });

  test("has failed after 15 s when the pods say why, long before the deadline", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    bed.cluster.pods = [missingKey];
    await bed.elapse(16_000);
    expect(bed.ended).toMatchObject([
      {
        result: "failed",
        reason: "CreateContainerConfigError",
        message: "container app of pod api-1: couldn't find key x",
      },
    ]);
    expect(bed.cluster.calls.some(({ target }) => target === "Pod/ns?app=api")).toBe(true);
  });

  test("does not fail for the pod of another owner that its selector fits", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    const owner = { kind: "Job", name: "nightly", uid: "another", controller: true };
    bed.cluster.pods = [{ ...missingKey, metadata: { ...missingKey.metadata, ownerReferences: [owner] } }];
    await bed.elapse(40_000);
    expect(bed.results()).toEqual([]);
  });

  test("goes by conditions alone where pods may not be listed, and reports nothing of it", async () => {
    const bed = await rolledDeployment({
      before: ({ target }) => {
        if (target.startsWith("Pod/")) throw new Fault("kube.forbidden", "pods is forbidden");
      },
    });
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(40_000);
    expect(bed.results()).toEqual([]);
    expect(bed.log.text).not.toContain("forbidden");
    bed.cluster.setStatus(bed.api, late);
    await bed.elapse(30_000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded"]);
  });

  test("is stalled when its time is over and nothing says why", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(620_000);
    expect(bed.results()).toEqual([]);
    await bed.elapse(60_000);
    expect(bed.results()).toEqual(["stalled NoProgress"]);
    expect([bed.settled, bed.queue.held]).toEqual([["api"], []]);
  });

  test("and rolled again is one rollout, whose clock begins anew", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(12_000);
    await bed.change("3");
    bed.cluster.setStatus(bed.api, starting);
    bed.cluster.pods = [missingKey];
    // The first one would have failed by now.
    await bed.elapse(12_000);
    expect(bed.results()).toEqual([]);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(10_000);
    expect(bed.results()).toEqual(["healthy Available"]);
    expect(bed.ended[0]?.seconds).toBeLessThan(20);
  });

  test("is not looked at before its time by a look that was meant for the roll before", async () => {
    const bed = await rolledDeployment();
    await bed.elapse(1000);
    const before = looks(bed);
    expect(await bed.reconcile(bed.api, { purpose: "follow" })).toMatchObject({ type: "again" });
    expect(looks(bed)).toBe(before);
  });

  test("is not ended by a look that began before it", async () => {
    let duringRead: (() => Promise<void>) | undefined;
    const bed = await rolledDeployment({ after: () => duringRead?.() });
    bed.cluster.setStatus(bed.api, healthy);
    await bed.clock.advance(6000);
    const request = { cluster: "c1", workload: bed.api };
    const newer = { rolledAtMs: bed.clock.now(), sources: [] };
    duringRead = () => bed.runs.start([{ request, run: newer }]);
    expect(await bed.reconcile(bed.api, { purpose: "follow" })).toMatchObject({ type: "again" });
    expect([bed.results(), await bed.runs.find(request)]).toEqual([[], newer]);
    expect(bed.settled).toEqual([]);
  });

  test.each(["ended", "lost"])(
    "and rolled again releases its own place in a budget, not the newer one's (%s)",
    async (how) => {
      const bed = await rolledDeployment({ limits: { fleet: { unfinishedMax: 1 } } });
      const request = { cluster: "c1", workload: bed.api };
      const other = { ...request, workload: { ...bed.api, name: "other" } };
      const isFree = async () => (await bed.ledger.admit(other, [])).type === "go";
      bed.cluster.setStatus(bed.api, healthy);
      await bed.clock.advance(6000);
      // A newer roll is being written, and nobody follows it yet.
      await bed.ledger.admit(request, []);
      await bed.clock.advance(200);
      if (how === "lost") bed.runs.wipe();
      expect(await bed.reconcile(bed.api, { purpose: "follow" })).toMatchObject({ type: "done" });
      expect([bed.settled, await isFree()]).toEqual([["api"], false]);
      await bed.runs.start([{ request, run: { rolledAtMs: bed.clock.now(), sources: [] } }]);
      await bed.clock.advance(6000);
      await bed.reconcile(bed.api, { purpose: "follow" });
      expect(await isFree()).toBe(true);
    },
  );

  test("is followed no more when the workload is gone, and settled", async () => {
    const bed = await rolledDeployment();
    await bed.elapse(1000);
    bed.cluster.deleteWorkload(bed.api);
    await bed.elapse(10_000);
    expect([bed.results(), bed.settled, bed.runs.size, bed.queue.held]).toEqual([[], ["api"], 0, []]);
    expect(foldChanges(bed.history).summaries()[0]?.workloads).toMatchObject({ rolling: 0, gone: 1 });
  });

  test("whose record is lost with Redis is followed no more, and settled", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    await bed.elapse(1000);
    bed.runs.wipe();
    await bed.elapse(10_000);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(10_000);
    expect([bed.results(), bed.settled, bed.queue.held]).toEqual([[], ["api"], []]);
  });

  // The queue keeps what is added while a request is handled, and gives it out when that is done.
  test("and rolled again while it is looked at, has one outcome", async () => {
    let duringRead: (() => Promise<void>) | undefined;
    const bed = await rolledDeployment({ after: () => duringRead?.() });
    bed.cluster.setStatus(bed.api, healthy);
    const request = { cluster: "c1", workload: bed.api };
    duringRead = async () => {
      duringRead = undefined;
      await bed.runs.start([{ request, run: { rolledAtMs: bed.clock.now(), sources: [] } }]);
      const window = { quietPeriodMs: 5000, maxWaitMs: 5000, purpose: "follow" } as const;
      await bed.queue.add([{ request, ...window }]);
    };
    await bed.elapse(40_000);
    expect([bed.results(), bed.queue.held]).toEqual([["healthy Available"], []]);
  });

  test("is followed through errors of the API server", async () => {
    let isDown = false;
    const bed = await rolledDeployment({
      before: () => {
        if (isDown) throw new Fault("kube.server-error", "answered 500");
      },
    });
    isDown = true;
    await bed.elapse(20_000);
    isDown = false;
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(5000);
    expect(bed.results()).toEqual(["healthy Available"]);
  });
});
