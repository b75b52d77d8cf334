import { Fault } from "@fleet-reloader/domain/fault";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import { describe, expect, test } from "vitest";
import { healthy, rolledDeployment, starting } from "../../beds/rolled-deployment.ts";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MarkedText } from "../../memory/marked-text.ts";

/** Its controller has not seen the roll. */
const unobserved = { ...healthy, observedGeneration: 0 };

describe("a rollout that the watch of the same process shows", () => {
  test("is found healthy without a read, and everybody is told", async () => {
    const bed = await watchedRoll();
    bed.report(starting);
    bed.report(healthy);
    await bed.elapse(6000);
    expect(bed.results()).toEqual(["healthy Available"]);
    expect([bed.reads(), bed.settled, bed.runs.size]).toEqual([0, ["api"], 0]);
  });

  test("and found healthy takes no room in the queue, whatever others take", async () => {
    const bed = await watchedRoll();
    const before = bed.queue.additions.length;
    bed.report(starting);
    await bed.elapse(9000);
    bed.report(healthy);
    await bed.elapse(1000);
    expect(bed.results()).toEqual(["healthy Available"]);
    expect(bed.queue.additions.length - before).toBe(0);
    await bed.elapse(120_000);
    expect([bed.results(), bed.reads()]).toEqual([["healthy Available"], 0]);
  });

  test("is told later by another process where this one ends before", async () => {
    const bed = await watchedRoll();
    await bed.elapse(500);
    const left = await bed.runs.due("c1", bed.clock.now() + 20_000);
    expect(left.map(({ request }) => request.workload)).toEqual([bed.api]);
    expect(await bed.runs.due("c1", bed.clock.now() + 19_000)).toEqual([]);
    // What this process awaits is gone with it.
    bed.shown.forget("c1", bed.api);
    bed.queue.wipe();
    bed.cluster.setStatus(bed.api, healthy);
    await bed.clock.advance(6000);
    bed.queue.wipe();
    await bed.elapse(25_000);
    expect([bed.results(), bed.settled]).toEqual([["healthy Available"], ["api"]]);
  });

  test("is looked at by a worker where its run cannot be ended", async () => {
    const bed = await watchedRoll();
    const end = bed.runs.end.bind(bed.runs);
    bed.runs.end = () => Promise.reject(new Fault("redis.unavailable", "simulated"));
    bed.report(healthy);
    await bed.elapse(6000);
    expect(bed.results()).toEqual([]);
    bed.runs.end = end;
    await bed.elapse(25_000);
    expect(bed.results()).toEqual(["healthy Available"]);
  });

  test("is read once it is slow, also where the watch shows that it goes on", async () => {
    const bed = await watchedRoll();
    bed.report(starting);
    await bed.elapse(14_900);
    expect(bed.reads()).toBe(0);
    // The watch has stopped: nothing shows this.
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(700);
    expect([bed.reads(), bed.results()]).toEqual([1, ["healthy Available"]]);
  });

  // In a fan-out the controller of all Deployments begins with the last of them minutes later.
  test("is slow only some time after its controller has begun", async () => {
    const bed = await watchedRoll();
    bed.report(unobserved);
    await bed.elapse(120_000);
    bed.report(starting);
    await bed.elapse(14_000);
    expect([bed.reads(), bed.results()]).toEqual([0, []]);
    bed.report(healthy);
    await bed.elapse(1000);
    expect([bed.reads(), bed.results()]).toEqual([0, ["healthy Available"]]);
  });

  test("is read where its controller began some time ago", async () => {
    const bed = await watchedRoll();
    bed.report(unobserved);
    await bed.elapse(60_000);
    bed.report(starting);
    await bed.elapse(30_000);
    expect(bed.reads()).toBeGreaterThan(0);
  });

  test("is read where its controller does not begin", async () => {
    const bed = await watchedRoll();
    bed.report(unobserved);
    await bed.elapse(299_000);
    expect(bed.reads()).toBe(0);
    await bed.elapse(31_000);
    expect(bed.reads()).toBeGreaterThan(0);
  });

  test("is known where the watch showed it before the roll was answered", async () => {
    const bed = await watchedRoll();
    const request = { cluster: "c1", workload: bed.api };
    const live = bed.cluster.workload(bed.api);
    if (live === undefined) throw new Error("it is gone");
    for (const rolledAtMs of [1, 2]) {
      const generation = live.generation + rolledAtMs;
      const object = { ...Object(live.object), metadata: { generation } };
      bed.shown.show("c1", { ...live, generation, object }, deployment);
      bed.shown.rollouts.await(request, { rolledAtMs, uid: live.uid, generation });
      expect(bed.shown.rollouts.of(request, { rolledAtMs })?.state.type).toBe("progressing");
    }
  });

  test("is read where the watch has shown nothing since the roll", async () => {
    const bed = await watchedRoll();
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(6000);
    expect([bed.reads(), bed.results()]).toEqual([1, ["healthy Available"]]);
  });

  test("is not taken for healthy by what the watch shows of the roll before", async () => {
    const bed = await watchedRoll();
    bed.report(healthy);
    const before = bed.cluster.workload(bed.api);
    await bed.change("3");
    bed.cluster.setStatus(bed.api, starting);
    if (before !== undefined) bed.shown.show("c1", before, deployment);
    await bed.elapse(6000);
    expect(bed.results()).toEqual([]);
  });

  test("is not taken for healthy by what the watch shows of another with its name", async () => {
    const bed = await watchedRoll();
    bed.report(healthy);
    const other = bed.cluster.workload(bed.api);
    if (other !== undefined) bed.shown.show("c1", { ...other, uid: "another" }, deployment);
    await bed.elapse(6000);
    expect(bed.reads()).toBe(1);
  });

  test("is read where another process has rolled it since", async () => {
    const bed = await watchedRoll();
    bed.report(healthy);
    await bed.elapse(1000);
    bed.cluster.setStatus(bed.api, starting);
    const request = { cluster: "c1", workload: bed.api };
    await bed.runs.start([{ request, run: { rolledAtMs: bed.clock.now(), sources: [] } }]);
    await bed.queue.add([{ request, quietPeriodMs: 5000, maxWaitMs: 5000, purpose: "follow" }]);
    await bed.elapse(11_000);
    expect([bed.reads() > 0, bed.results()]).toEqual([true, []]);
  });

  test("is read when the workload is gone", async () => {
    const bed = await watchedRoll();
    bed.report(healthy);
    bed.cluster.deleteWorkload(bed.api);
    bed.shown.forget("c1", bed.api);
    await bed.elapse(6000);
    expect([bed.results(), bed.settled, bed.runs.size]).toEqual([[], ["api"], 0]);
  });

  test("is read where somebody has paused it", async () => {
    const bed = await watchedRoll();
    bed.cluster.setWorkload("api", { isPaused: true });
    bed.report(healthy);
    await bed.elapse(6000);
    expect(bed.reads()).toBe(1);
  });
});

async function watchedRoll() {
  const clock = new ManualClock();
  const shown = new ShownWorkloads(clock, new MarkedText());
  const bed = await rolledDeployment({ clock, shown });
  const before = bed.cluster.calls.length;
  return {
    ...bed,
    shown,
    /** Its controller writes a status, and the watch shows it. */
    report(status: object): void {
      bed.cluster.setStatus(bed.api, status);
      const live = bed.cluster.workload(bed.api);
      if (live !== undefined) shown.show("c1", live, deployment);
    },
    reads: () => bed.cluster.calls.slice(before).filter(({ verb }) => verb === "read").length,
  };
}
