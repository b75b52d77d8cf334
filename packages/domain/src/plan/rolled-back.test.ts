import { expect, test } from "vitest";
import { parseAppliedState } from "../applied/applied-state.ts";
import type { PodsStart } from "../evidence/pods-start.ts";
import { started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

const first = { a: "1", b: "1" };

/**
 * At 1300 an upgrade writes another content and at 1301 an image that cannot be pulled, so its pods wait. At 1400 `helm rollback` undoes both,
 * and the earlier pods run on.
 */
function rolledBack(podsStart: PodsStart | undefined, beside: readonly number[] = []): PlannedWorkload {
  const workload = adopted();
  workload.now = 1300;
  workload.set("ConfigMap", "app", { a: "2" });
  workload.now = 1301;
  workload.edit(templateUsing({ app: {} }, "app:2"));
  Object.assign(workload, { isRolledOut: false, podsStart: started(Number.POSITIVE_INFINITY) });
  reconcilesAt(workload, 1303, {});
  workload.now = 1400;
  workload.set("ConfigMap", "app", first);
  workload.edit(templateUsing({ app: {} }));
  return Object.assign(workload, { podsStart, startedBeside: beside });
}

function reconcilesAt(workload: PlannedWorkload, now: number, reasons: object): void {
  workload.now = now;
  expect(workload.reconcile()).toEqual(reasons);
  workload.ownWriteAtSeconds = now;
}

test("the rollback of an upgrade that hung rolls nothing: its pods ran on", () => {
  const workload = rolledBack(started(1001), [1403, Number.POSITIVE_INFINITY]);
  reconcilesAt(workload, 1410, {});
  workload.isRolledOut = true;
  reconcilesAt(workload, 1500, {});
  const { sources } = parseAppliedState(workload.appliedText, workload.keys) ?? {};
  expect(sources?.get("ConfigMap/app")).not.toHaveProperty("earlier");
});

test.each<[pod: string, podsStart: PodsStart | undefined, beside: readonly number[]]>([
  ["started with the content of the upgrade", started(1001), [1350]],
  ["may have started with it, as clocks differ", started(1001), [1298]],
  ["may have started with it before it was taken back, as clocks differ", started(1001), [1402]],
  ["is not listed", undefined, []],
])("the rollback of an upgrade rolls where a pod %s", (_, podsStart, beside) => {
  reconcilesAt(rolledBack(podsStart, beside), 1410, { app: "SourceChanged" });
});

test("a rollback to pods that read another content than the present one rolls", () => {
  const workload = rolledBack(started(1001));
  workload.set("ConfigMap", "app", { a: "3" });
  reconcilesAt(workload, 1410, { app: "SourceChanged" });
});

test("a rollback after more contents than are recorded rolls", () => {
  const workload = rolledBack(started(1001));
  for (const at of [1420, 1440, 1460]) {
    workload.now = at;
    workload.set("ConfigMap", "app", { a: String(at) });
    workload.edit(templateUsing({ app: {} }, `app:${at}`));
    workload.podsStart = started(Number.POSITIVE_INFINITY);
    reconcilesAt(workload, at + 2, {});
  }
  workload.now = 1480;
  workload.set("ConfigMap", "app", first);
  workload.edit(templateUsing({ app: {} }));
  reconcilesAt(Object.assign(workload, { podsStart: started(1001) }), 1490, { app: "SourceChanged" });
});
