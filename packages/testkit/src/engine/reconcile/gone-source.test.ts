import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { podLists } from "../../beds/unrecorded-deployment.ts";

const late = { kind: "ConfigMap", namespace: "ns", name: "late" } as const;

/** A Deployment whose pod has read an optional ConfigMap, which was deleted after it was adopted. */
async function withoutLate() {
  const bed = createTestBed({ engagedAtSeconds: 0 });
  const { clock, cluster } = bed;
  const startPod = () => {
    const now = new Date(clock.now()).toISOString();
    const running = { name: "main", state: { running: { startedAt: now } } };
    const labels = { app: "app", "pod-template-hash": "one" };
    const status = { phase: "Running", containerStatuses: [running] };
    cluster.pods = [{ metadata: { creationTimestamp: now, labels }, status }];
  };
  cluster.setSource("ConfigMap", "late", { a: "1" });
  await clock.advance(60_000);
  const template = templateUsing({ late: { optional: true } });
  const fields = { spec: { selector: { matchLabels: { app: "app" } } } };
  const api = cluster.setWorkload("api", { template, annotations: auto, fields });
  const outcome = async (purpose: "adoption" | "change" | "audit" = "change") =>
    outcomeOf(await bed.reconcile(api, { purpose }));
  expect(await outcome("adoption")).toBe("recorded");
  await clock.advance(5000);
  startPod();
  await clock.advance(3_600_000);
  cluster.deleteSource(late);
  return {
    ...{ ...bed, outcome, startPod },
    listed: () => podLists(cluster.calls),
    async comesBack(): Promise<void> {
      await clock.advance(3_600_000);
      cluster.setSource("ConfigMap", "late", { a: "1" });
      await clock.advance(3000);
    },
  };
}

describe("an optional source that was observed to be gone and is back as it was", () => {
  test.each(["change", "audit"] as const)("rolls for a pod that started without it (%s)", async (purpose) => {
    const bed = await withoutLate();
    expect(await bed.outcome(purpose)).toBe("recorded");
    await bed.clock.advance(3_600_000);
    bed.startPod();
    await bed.comesBack();
    expect([await bed.outcome(), bed.cluster.rolls().length]).toEqual(["rolled", 1]);
    expect(bed.log.text).toContain("LateOptionalReference");
    await bed.clock.advance(5000);
    bed.startPod();
    expect([await bed.outcome(), bed.cluster.rolls().length]).toEqual(["unchanged", 1]);
  });

  test("rolls nothing where no pod has started without it, and asks for pods no more", async () => {
    const bed = await withoutLate();
    expect([await bed.outcome(), await bed.outcome()]).toEqual(["recorded", "unchanged"]);
    expect(bed.listed()).toBe(1);
    await bed.comesBack();
    expect([await bed.outcome(), await bed.outcome()]).toEqual(["recorded", "unchanged"]);
    expect([bed.listed(), bed.cluster.rolls()]).toEqual([2, []]);
  });

  test("rolls nothing where nobody has seen it gone", async () => {
    const bed = await withoutLate();
    await bed.comesBack();
    expect([await bed.outcome(), bed.listed(), bed.cluster.rolls()]).toEqual(["unchanged", 0, []]);
  });
});
