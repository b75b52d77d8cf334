import { type HistoryRecord, workloadGone } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import { expect, test } from "vitest";
import { createKindBed, jobManifest, withObject } from "../../beds/kind-bed.ts";
import { silentReporter } from "../../beds/silent-reporter.ts";
import { outcomeOf } from "../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";

/** A Job that is being replaced, and that a finalizer holds. */
async function heldJob() {
  const history: HistoryRecord[] = [];
  const ended: string[] = [];
  const runs = new MemoryRolloutRuns();
  const manifest = jobManifest({ metadata: { finalizers: ["example.com/held"] } });
  const bed = await createKindBed(withObject("Job", manifest), {
    reporter: silentReporter({ ended: ({ result, reason }) => ended.push(`${result} ${reason}`) }),
    history: { append: (records) => history.push(...records) },
    following: { runs, firstCheckMs: 5000, onSettled: async () => undefined },
  });
  bed.change("2");
  expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("JobTerminating");
  const gone = () => history.filter((record) => record.type === "decision" && record.reason === workloadGone);
  return { ...bed, ended, gone, history, runs };
}

test("a Job that finalizers hold is followed to its successor", async () => {
  const bed = await heldJob();
  const before = bed.cluster.workload(bed.workload);
  await bed.elsewhere(40_000);
  expect(bed.cluster.workload(bed.workload)?.uid).toBe(before?.uid);
  expect(bed.runs.size).toBe(1);
  bed.cluster.deleteWorkload(bed.workload);
  await bed.elsewhere(8000);
  expect(bed.cluster.workload(bed.workload)?.uid).not.toBe(before?.uid);
  bed.cluster.setStatus(bed.workload, { active: 1, ready: 1 });
  await bed.elapse(60_000);
  expect(bed.ended).toEqual(["healthy Running"]);
  expect(bed.runs.size).toBe(0);
  expect(foldChanges(bed.history).summaries().at(0)?.workloads).toMatchObject({ healthy: 1, gone: 0 });
});

test("a Job that finalizers hold for longer than a rollout may take is gone", async () => {
  const bed = await heldJob();
  await bed.elapse(10 * 60_000);
  expect(bed.runs.size).toBe(1);
  expect(bed.gone()).toEqual([]);
  await bed.elapse(2 * 60_000);
  expect([bed.ended, bed.gone().length, bed.runs.size]).toEqual([[], 1, 0]);
});
