import { Fault } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import { healthy, late, rolledDeployment } from "../../beds/rolled-deployment.ts";

const period = { "deployment.reloader.stakater.com/pause-period": "1m" };
const pausedAtKey = "deployment.reloader.stakater.com/paused-at";

/** A person resumes it after 6 s, when its rollout is followed no more. */
async function resumedByPerson(pausedAt?: string) {
  const bed = await rolledDeployment({}, period);
  bed.cluster.setStatus(bed.api, { replicas: 1, updatedReplicas: 0 });
  await bed.elapse(6000);
  const annotations = pausedAt === undefined ? {} : { [pausedAtKey]: pausedAt };
  bed.cluster.setWorkload("api", { isPaused: false, annotations });
  await bed.reconcile(bed.api, { purpose: "adoption" });
  expect(bed.cluster.workload(bed.api)?.annotations[pausedAtKey]).toBeUndefined();
  return bed;
}

describe("the rollout of a Deployment that we paused", () => {
  test("is not stalled, and is followed after the pause", async () => {
    const bed = await rolledDeployment({}, period);
    bed.cluster.setStatus(bed.api, { replicas: 1, updatedReplicas: 0 });
    await bed.elapse(6000);
    expect([bed.results(), bed.settled]).toEqual([[], ["api"]]);
    await bed.elapse(55_000);
    expect(bed.cluster.workload(bed.api)?.isPaused).toBe(false);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(6000);
    expect(bed.results()).toEqual(["healthy Available"]);
  });

  test("is followed from then on when a person resumes it before the time", async () => {
    const bed = await resumedByPerson();
    bed.cluster.setStatus(bed.api, late);
    await bed.elapse(6000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded"]);
    expect(bed.ended[0]?.seconds).toBeLessThan(7);
    // The pause would have ended now.
    await bed.elapse(60_000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded"]);
  });

  test("is not followed for what an old pause has left", async () => {
    const bed = await resumedByPerson("2020-01-01T00:00:00Z");
    bed.cluster.setStatus(bed.api, late);
    await bed.elapse(60_000);
    expect([bed.results(), bed.runs.size]).toEqual([[], 0]);
  });

  test("is followed when nobody learned that the write which ends the pause landed", async () => {
    let isLost = false;
    const after = ({ verb }: { readonly verb: string }) => {
      if (verb !== "patch" || !isLost) return;
      isLost = false;
      throw new Fault("kube.timeout", "no answer");
    };
    const bed = await rolledDeployment({ after }, period);
    bed.cluster.setStatus(bed.api, { replicas: 1, updatedReplicas: 0 });
    await bed.elapse(6000);
    isLost = true;
    await bed.elapse(56_000);
    expect([isLost, bed.cluster.workload(bed.api)?.isPaused]).toEqual([false, false]);
    bed.cluster.setStatus(bed.api, late);
    await bed.elapse(10_000);
    expect(bed.results()).toEqual(["failed ProgressDeadlineExceeded"]);
  });
});
