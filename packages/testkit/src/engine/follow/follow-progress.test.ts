import { describe, expect, test } from "vitest";
import { rolledDeployment, starting } from "../../beds/rolled-deployment.ts";

type Bed = Awaited<ReturnType<typeof rolledDeployment>>;

const minuteMs = 60_000;

function timeOf({ clock }: Bed): string {
  return new Date(clock.now()).toISOString();
}

/** A pod of the workload, ready from now on. */
function readyPod(bed: Bed, name: string): object {
  const at = timeOf(bed);
  return {
    metadata: { name, creationTimestamp: at, labels: { "pod-template-hash": "new" } },
    status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: at }] },
  };
}

/** What its controller says of a Deployment that goes on. */
function progressNow(bed: Bed): object {
  const at = timeOf(bed);
  const goes = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", lastUpdateTime: at };
  return { ...starting, conditions: [goes] };
}

const crashing = {
  metadata: {
    name: "api-old",
    creationTimestamp: "2025-12-31T00:00:00Z",
    labels: { "pod-template-hash": "old" },
  },
  status: {
    containerStatuses: [
      { name: "app", state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } } },
    ],
  },
};

describe("a rollout that takes longer than its time", () => {
  test.each([
    {
      what: "a pod becomes ready",
      progress: (bed: Bed, at: number) => {
        bed.cluster.pods = [...bed.cluster.pods, readyPod(bed, `api-${at}`)];
      },
    },
    {
      what: "its controller tells of progress",
      progress: (bed: Bed) => bed.cluster.setStatus(bed.api, progressNow(bed)),
    },
  ])("is not stalled while $what", async ({ progress }) => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, starting);
    for (let at = 0; at < 6; at += 1) {
      progress(bed, at);
      await bed.elapse(8 * minuteMs);
    }
    expect(bed.results()).toEqual([]);
    await bed.elapse(4 * minuteMs);
    expect(bed.results()).toEqual(["stalled NoProgress"]);
  });
});

describe("pods that crashed before the roll", () => {
  test.each([
    { when: "before the new ones are made", status: { ...starting, updatedReplicas: 0 } },
    { when: "before their controller has seen the roll", status: { ...starting, observedGeneration: 0 } },
  ])("do not make it failed $when", async ({ status }) => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, status);
    bed.cluster.pods = [crashing];
    await bed.elapse(40_000);
    expect(bed.results()).toEqual([]);
  });

  test("explain a rollout that waits for them until its time is over", async () => {
    const bed = await rolledDeployment();
    bed.cluster.setStatus(bed.api, { ...starting, updatedReplicas: 0 });
    bed.cluster.pods = [crashing];
    await bed.elapse(12 * minuteMs);
    expect(bed.ended).toMatchObject([
      { result: "stalled", reason: "NoProgress", message: "container app of pod api-old: back-off" },
    ]);
  });
});
