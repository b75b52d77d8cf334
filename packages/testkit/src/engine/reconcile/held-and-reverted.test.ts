import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { podLists } from "../../beds/unrecorded-deployment.ts";

const fields = { spec: { selector: { matchLabels: { app: "api" } } } };
const rolledOut = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };

/** A Deployment that was adopted long ago, and was frozen before its ConfigMap was changed. */
async function heldRoll() {
  const bed = createTestBed({ engagedAtSeconds: 0 });
  const { clock, cluster } = bed;
  const edit = (a: string) => cluster.setSource("ConfigMap", "app", { a });
  const pod = () => {
    const now = new Date(clock.now()).toISOString();
    return {
      metadata: { creationTimestamp: now, labels: { app: "api", "pod-template-hash": "one" } },
      status: {
        phase: "Running",
        containerStatuses: [{ name: "main", state: { running: { startedAt: now } } }],
      },
    };
  };
  edit("1");
  const api = cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations: auto, fields });
  cluster.setStatus(api, rolledOut);
  await clock.advance(1000);
  cluster.pods = [pod()];
  await clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  await clock.advance(600_000);
  bed.freezes.freezes = [{ scope: {}, reason: "incident", by: "ann" }];
  edit("2");
  const outcome = async (purpose: "change" | "audit" = "change") =>
    outcomeOf(await bed.reconcile(api, { purpose }));
  expect(await outcome()).toBe("Frozen");
  await clock.advance(60_000);
  return {
    ...{ ...bed, api, edit, outcome },
    /** A pod starts, as for an autoscaler. */
    async scaleUp(): Promise<void> {
      cluster.pods = [...cluster.pods, pod()];
      await clock.advance(60_000);
    },
    async revert(): Promise<void> {
      edit("1");
      bed.freezes.freezes = [];
      await clock.advance(60_000);
    },
  };
}

describe("a change whose roll was held until it was reverted", () => {
  test("rolls once when a pod started in between: it read the reverted content", async () => {
    const bed = await heldRoll();
    await bed.scaleUp();
    await bed.revert();
    expect(await bed.outcome()).toBe("rolled");
    expect(bed.log.text).toContain("ChangedAfterStart");
    expect([await bed.outcome(), bed.cluster.rolls().length]).toEqual(["unchanged", 1]);
  });

  test("rolls when an audit is the first look after it", async () => {
    const bed = await heldRoll();
    await bed.scaleUp();
    await bed.revert();
    await bed.outcome("audit");
    expect([await bed.outcome(), bed.cluster.rolls().length]).toEqual(["rolled", 1]);
  });

  test("rolls nothing when all pods started before the change or after the revert", async () => {
    const bed = await heldRoll();
    await bed.revert();
    await bed.scaleUp();
    expect(await bed.outcome()).toBe("unchanged");
    const lists = podLists(bed.cluster.calls);
    expect([await bed.outcome(), podLists(bed.cluster.calls)]).toEqual(["unchanged", lists]);
    expect(bed.cluster.rolls()).toEqual([]);
  });

  test("is forgotten once another content was rolled", async () => {
    const bed = await heldRoll();
    await bed.scaleUp();
    bed.freezes.freezes = [];
    bed.edit("3");
    expect(await bed.outcome()).toBe("rolled");
    await bed.scaleUp();
    bed.edit("3");
    await bed.scaleUp();
    expect([await bed.outcome(), bed.cluster.rolls().length]).toEqual(["unchanged", 1]);
  });
});
