import type { HistoryRecord, OutcomeRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import { expect, test } from "vitest";
import { changedDeployment, holdOf } from "../../beds/braked-deployment.ts";
import { healthy, rolledDeployment } from "../../beds/rolled-deployment.ts";

test("a change that rolls nothing is recorded with the reason, once", async () => {
  const bed = await rolledDeployment();
  bed.history.length = 0;
  await bed.clock.advance(60_000);
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  await bed.reconcile(bed.api);
  expect(bed.history.map(({ type }) => type)).toEqual(["change", "decision"]);
  expect(bed.history[1]).toMatchObject({ verdict: "no", reason: "ContentUnchanged" });
  // Observed again much later, as after a restart: nothing new is recorded.
  bed.history.length = 0;
  await bed.clock.advance(3_600_000);
  await bed.reconcile(bed.api);
  expect(bed.history).toEqual([]);
});

// Something else may have asked for the observation that rolls. The message of the change itself comes after it.
test("a change that was rolled before its own message came is recorded once", async () => {
  const bed = await rolledDeployment();
  bed.history.length = 0;
  await bed.reconcile(bed.api);
  expect(bed.history).toEqual([]);
});

test("a roll is recorded as change with actor, decision, action and outcome", async () => {
  const bed = await rolledDeployment();
  bed.cluster.setStatus(bed.api, healthy);
  await bed.elapse(6000);
  const story = bed.history.slice(-4);
  expect(story.map(({ type }) => type)).toEqual(["change", "decision", "action", "outcome"]);
  expect(story[0]).toMatchObject({ actor: { manager: "external-secrets" }, source: { name: "app" } });
  expect(story[2]).toMatchObject({ action: "rolled", strategy: "annotations" });
  const outcome = story.find((record): record is OutcomeRecord => record.type === "outcome");
  expect(outcome).toMatchObject({ result: "healthy", reason: "Available", v: 1 });
});

test("a workload that is deleted while its roll is held is recorded as gone", async () => {
  const history: HistoryRecord[] = [];
  const bed = await changedDeployment({ history: { append: (records) => history.push(...records) } });
  bed.freezes.freezes = [{ scope: {}, reason: "release", by: "ann" }];
  expect(holdOf(await bed.run())).toBe("Frozen");
  expect(foldChanges(history).summaries()[0]?.workloads).toMatchObject({ held: 1, gone: 0 });
  bed.cluster.deleteWorkload(bed.api);
  await bed.run();
  expect(history.at(-1)).toMatchObject({ type: "decision", verdict: "no", reason: "WorkloadGone" });
  expect(foldChanges(history).summaries()[0]).toMatchObject({
    workloads: { held: 0, gone: 1 },
    isDone: true,
  });
});

test("a change has the id of its content, on every cluster and when it comes back", async () => {
  const idsOf = async () => {
    const bed = await rolledDeployment();
    return bed.history.flatMap((record) => (record.type === "change" ? [record.fleetChange] : []));
  };
  const [id, ...others] = await idsOf();
  expect(id).toMatch(/^f1-/);
  expect(await idsOf()).toEqual([id, ...others]);
});
