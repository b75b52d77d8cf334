import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { describe, expect, test } from "vitest";
import { createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { unrecordedDeployment } from "../../beds/unrecorded-deployment.ts";

describe("a first look that finds a change", () => {
  const debounced = { settings: { debounce: { quietPeriodMs: 5000, maxWaitMs: 30_000 } } };

  test("at an adoption asks for a change, writes nothing, and keeps what was seen", async () => {
    const bed = await unrecordedDeployment(debounced);
    await bed.show();
    expect(await bed.observation({ purpose: "adoption" })).toBe("unchanged");
    expect(bed.queue.additions).toEqual([
      { request: bed.request, quietPeriodMs: 5000, maxWaitMs: 30_000, purpose: "change" },
    ]);
    expect([bed.cluster.rolls(), bed.appliedTextOf()]).toEqual([[], undefined]);
    expect((await bed.records.read(bed.request)).seen).toMatchObject({ atSeconds: bed.madeAt });
    expect(await bed.index.unreconciled()).toBe(0);
  });

  test("rolls once after the quiet period; then what was seen is not used again", async () => {
    const bed = await unrecordedDeployment(debounced);
    await bed.show();
    await bed.observation({ purpose: "adoption" });
    await bed.elapse(6000);
    expect(bed.cluster.rolls()).toHaveLength(1);
    const record = await bed.records.read(bed.request);
    expect([record.seen, record.appliedText]).toEqual([undefined, bed.appliedTextOf()]);
    expect(await bed.observation()).toBe("unchanged");
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("judges by the event that showed the workload, not by what is live when we look", async () => {
    const bed = await unrecordedDeployment({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    expect(await bed.observation()).toBe("recorded");
    const shown = await unrecordedDeployment({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    await shown.show();
    expect(await shown.observation()).toBe("rolled");
  });

  test("does not take the event of another workload of that name for its own", async () => {
    const bed = await unrecordedDeployment({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    await bed.show();
    bed.index.records?.seen.set(workloadKey(bed.api), { uid: "gone", atSeconds: bed.madeAt });
    expect(await bed.observation()).toBe("recorded");
  });
});

describe("a source that only a pattern leads to", () => {
  test("is judged by what Redis has seen, where no applied state names it", async () => {
    const bed = createTestBed({ engagedAtSeconds: 0 });
    await bed.index.open();
    const annotations = { "configmap.reloader.stakater.com/reload": "app.*" };
    bed.cluster.setSource("ConfigMap", "app-1", { a: "1" });
    const api = bed.cluster.setWorkload("api", { template: templateUsing({}), annotations });
    await bed.clock.advance(10_000);
    expect(outcomeOf(await bed.reconcile(api))).toBe("recorded");
    await bed.clock.advance(10_000);
    bed.cluster.setSource("ConfigMap", "app-2", { a: "1" });
    const atSeconds = bed.serverSeconds();
    await bed.clock.advance(10_000);
    bed.cluster.setSource("ConfigMap", "app-2", { a: "2" });
    await bed.clock.advance(10_000);
    // To managedFields the interest is no older than the last write of who owns it.
    bed.cluster.setWorkload("api", { annotations: { team: "shop" } });
    const uid = bed.cluster.workload(api)?.uid ?? "";
    bed.index.records?.seen.set(workloadKey(api), { uid, atSeconds });
    expect(outcomeOf(await bed.reconcile(api))).toBe("rolled");
  });
});
