import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { describe, expect, test } from "vitest";
import { askingOf } from "../../beds/asked-bed.ts";
import { caseOf, createKindBed, cronJobManifest, withObject } from "../../beds/kind-bed.ts";
import { auto, outcomeOf, stateAnnotation, type TestBedOptions } from "../../beds/test-bed.ts";

const hourMs = 3_600_000;

type KindBed = Awaited<ReturnType<typeof createKindBed>>;

/** Its controller has made the Job of this moment, so many seconds from now. */
function runsAt({ clock, cluster, workload }: KindBed, seconds: number): void {
  const lastScheduleTime = new Date(clock.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  cluster.setStatus(workload, { lastScheduleTime });
}

/** Frozen for a day, with a change in between. */
async function changedWhileFrozen(bed: KindBed): Promise<void> {
  await bed.clock.advance(hourMs);
  bed.freezes.freezes = [{ scope: {}, reason: "weekend", by: "ann" }];
  bed.change("2");
  expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("Frozen");
}

async function outcomeAfterFreeze(bed: KindBed) {
  await bed.clock.advance(24 * hourMs);
  bed.freezes.freezes = [];
  return outcomeOf(await bed.reconcile(bed.workload));
}

describe("a CronJob that its schedule has run since a change", () => {
  test("is not run once more: a billing job bills once", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    await changedWhileFrozen(bed);
    runsAt(bed, 3600);
    expect(await outcomeAfterFreeze(bed)).toBe("recorded");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
    expect(bed.actions()).toBe(0);
  });

  test("is recorded while it is frozen, too, and so is nothing held any more", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    await changedWhileFrozen(bed);
    runsAt(bed, 3600);
    await bed.clock.advance(2 * hourMs);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    expect(await outcomeAfterFreeze(bed)).toBe("unchanged");
  });

  test("is no finding of an audit", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    await bed.clock.advance(hourMs);
    bed.change("2");
    runsAt(bed, 3600);
    await bed.clock.advance(2 * hourMs);
    expect(outcomeOf(await bed.reconcile(bed.workload, { purpose: "audit" }))).toBe("recorded");
    expect(bed.actions()).toBe(0);
  });

  test("runs for the next change, also where the content comes back", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    await changedWhileFrozen(bed);
    runsAt(bed, 3600);
    await outcomeAfterFreeze(bed);
    for (const [round, value] of ["1", "2", "1"].entries()) {
      await bed.clock.advance(hourMs);
      bed.change(value);
      expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
      expect(bed.actions()).toBe(round + 1);
    }
  });
});

/** A CronJob with this policy whose controller has made a Job that runs. */
async function running(concurrencyPolicy: string, options: TestBedOptions = {}) {
  const bed = await createKindBed(withObject("CronJob", cronJobManifest({ concurrencyPolicy })), options);
  await bed.clock.advance(hourMs);
  bed.cluster.setStatus(bed.workload, { active: [{ kind: "Job", namespace: "ns", name: "report-1" }] });
  bed.change("2");
  return bed;
}

/** The Job that was made for the last change. */
function madeRun({ cluster, workload }: KindBed): WorkloadRef {
  const name = cluster.workload(workload)?.annotations["fleet-reloader.io/last-run"] ?? "";
  return { kind: "Job", namespace: "ns", name };
}

const ended = { conditions: [{ type: "Complete", status: "True" }] };

describe("a CronJob that forbids concurrent runs", () => {
  test("is not run beside its active Job, says so, and runs when that has ended", async () => {
    const bed = await running("Forbid");
    const result = await bed.reconcile(bed.workload);
    expect(result).toMatchObject({ type: "again", reason: "RunActive", hold: { reason: "RunActive" } });
    expect(bed.log.text).toContain("the Job report-1 has not ended");
    expect(bed.actions()).toBe(0);
    bed.cluster.setStatus(bed.workload, {});
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });

  test("is not run beside the Job of an earlier change that has not ended", async () => {
    const bed = await createKindBed(withObject("CronJob", cronJobManifest({ concurrencyPolicy: "Forbid" })));
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    bed.change("3");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("RunActive");
    bed.cluster.setStatus(madeRun(bed), ended);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    bed.change("4");
    bed.cluster.deleteWorkload(madeRun(bed));
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(3);
  });

  test("is not run once more if its schedule runs it during the wait", async () => {
    const bed = await running("Forbid");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("RunActive");
    runsAt(bed, 3600);
    await bed.clock.advance(2 * hourMs);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    expect(bed.actions()).toBe(0);
  });

  test("is explained as held", async () => {
    const bed = await running("Forbid");
    const { verdict } = await askingOf(bed).explain("report", "CronJob");
    expect(verdict).toMatchObject({ type: "held", reason: "RunActive" });
  });

  test("is run beside its active Job if --reload-concurrent asks for that", async () => {
    const bed = await running("Forbid", { settings: { reloadConcurrent: true } });
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });
});

describe("a CronJob runs at once for a change", () => {
  test.each(["Allow", "Replace"])("beside its active Job, with the policy %s", async (policy) => {
    const bed = await running(policy);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
  });

  // Nobody knows which came first, or the run was skipped: another one was still going on. One that people make is none of its schedule.
  test.each([
    ["in whose second its schedule ran it", 0],
    ["two seconds after which its schedule ran it", 2],
    ["since which its schedule made no run", -600],
  ])("%s", async (_, seconds) => {
    const bed = await createKindBed(caseOf("CronJob"));
    await changedWhileFrozen(bed);
    runsAt(bed, seconds);
    expect(await outcomeAfterFreeze(bed)).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });

  test("of which its last run has read only a part", async () => {
    const names = { "configmap.reloader.stakater.com/reload": "app,late" };
    const bed = await createKindBed(withObject("CronJob", cronJobManifest({}, names)));
    bed.cluster.setSource("ConfigMap", "late", { a: "1" });
    await bed.reconcile(bed.workload);
    await changedWhileFrozen(bed);
    runsAt(bed, 3600);
    await bed.clock.advance(2 * hourMs);
    bed.cluster.setSource("ConfigMap", "late", { a: "2" });
    expect(await outcomeAfterFreeze(bed)).toBe("rolled");
  });

  test("that deleted its source", async () => {
    const bed = await createKindBed(caseOf("CronJob"), { settings: { reloadOnDelete: true } });
    await bed.clock.advance(hourMs);
    bed.cluster.deleteSource({ kind: "ConfigMap", namespace: "ns", name: "app" });
    runsAt(bed, 3600);
    await bed.clock.advance(2 * hourMs);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
  });

  // When that was written, and so what the change is, nothing tells.
  test("where somebody else wrote what is recorded of it", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    const before = bed.cluster.workload(bed.workload)?.annotations[stateAnnotation] ?? "";
    await changedWhileFrozen(bed);
    for (const text of [null, before])
      bed.cluster.setWorkload("report", { annotations: { ...auto, [stateAnnotation]: text } }, "CronJob");
    runsAt(bed, 3600);
    expect(await outcomeAfterFreeze(bed)).toBe("rolled");
  });
});
