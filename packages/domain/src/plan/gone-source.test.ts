import { describe, expect, test } from "vitest";
import { parseAppliedState } from "../applied/applied-state.ts";
import type { PodsStart } from "../evidence/pods-start.ts";
import { started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

const late = { late: { optional: true } };

/** Its pod started at 1250 with `late` as recorded. `late` was deleted at 1300, and that was observed at 1302. */
function withoutLate(podsStart: PodsStart | undefined = started(1250)): PlannedWorkload {
  const workload = adopted({ app: {}, ...late });
  workload.set("ConfigMap", "late", { a: "1" });
  expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
  workload.now = 1300;
  workload.remove("ConfigMap", "late");
  workload.podsStart = podsStart;
  workload.now = 1302;
  expect(workload.reconcile()).toEqual({});
  return workload;
}

/** Makes `late` again at 2000, with pods that started at `podsStart`. */
function backWith(workload: PlannedWorkload, podsStart: PodsStart | undefined, a = "1"): PlannedWorkload {
  workload.now = 2000;
  workload.set("ConfigMap", "late", { a });
  workload.now = 2002;
  return Object.assign(workload, { podsStart });
}

function noted({ appliedText, keys }: PlannedWorkload) {
  return parseAppliedState(appliedText, keys)?.sources.get("ConfigMap/late");
}

describe("an optional source that comes back with the content it had", () => {
  test("rolls a workload of which a pod started without it, once", () => {
    const workload = backWith(withoutLate(), started(1500));
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
    expect(noted(workload)).not.toHaveProperty("goneAfterSeconds");
    workload.podsStart = started(2003);
    expect(workload.reconcile()).toEqual({});
  });

  test.each([
    ["before it went", started(1250), {}],
    ["in the second after it was found gone", started(1251), { late: "LateOptionalReference" }],
    ["in the second it came back", started(2000), { late: "LateOptionalReference" }],
    ["after it came back", started(2001), {}],
    ["not yet", started(Number.POSITIVE_INFINITY), {}],
  ])("is judged by when the pods started: %s", (_, podsStart, reasons) => {
    const workload = backWith(withoutLate(), podsStart);
    expect(workload.plan().hingesOnPods).toBe(false);
    expect(workload.reconcile()).toEqual(reasons);
    expect(noted(workload)).not.toHaveProperty("goneAfterSeconds");
  });

  test("asks for the pods when it is found gone and when it is back, and else not", () => {
    const workload = withoutLate();
    workload.podsStart = undefined;
    expect(workload.plan().hingesOnPods).toBe(false);
    expect(backWith(workload, undefined).plan()).toMatchObject({ type: "record", hingesOnPods: true });
    workload.podsStart = started(1250);
    workload.reconcile();
    workload.podsStart = undefined;
    expect(workload.plan().hingesOnPods).toBe(false);
  });

  test("rolls also where it was found gone again after the pod had started", () => {
    const workload = withoutLate();
    const { appliedText } = workload;
    workload.podsStart = started(1500);
    workload.now = 1600;
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBe(appliedText);
    expect(backWith(workload, started(1500)).reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  test("rolls a workload that was rolled meanwhile for another source", () => {
    const workload = withoutLate();
    workload.now = 1500;
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(backWith(workload, started(1503)).reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  test("rolls nothing where a new template is applied together with it", () => {
    const workload = withoutLate();
    workload.now = 2000;
    workload.edit(templateUsing({ app: {}, ...late }, "app:2"));
    expect(backWith(workload, started(2000)).reconcile()).toEqual({});
    expect(noted(workload)).not.toHaveProperty("goneAfterSeconds");
  });

  test("rolls nothing where no pod was there when it went and none has started since", () => {
    const workload = withoutLate(started(Number.POSITIVE_INFINITY));
    expect(noted(workload)).toMatchObject({ goneAfterSeconds: 0 });
    expect(backWith(workload, started(2001)).reconcile()).toEqual({});
  });

  test("rolls nothing where pods may not be listed", () => {
    const workload = withoutLate();
    const unlisted = backWith(workload, undefined);
    expect(unlisted.reconcile()).toEqual({});
    // A worker that may list the pods later finds it.
    unlisted.podsStart = started(1500);
    expect(unlisted.reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  test("rolls when it counts again, where its own annotations kept it from counting", () => {
    const workload = withoutLate();
    workload.setAside("ConfigMap", "late");
    backWith(workload, started(1500));
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    workload.showAll();
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
  });
});

test("an optional source that comes back with another content is a change", () => {
  const workload = backWith(withoutLate(), started(1250), "2");
  expect(workload.plan().hingesOnPods).toBe(false);
  expect(workload.reconcile()).toEqual({ late: "SourceChanged" });
});

test("a source without which no pod starts is not asked about when it is gone", () => {
  const workload = adopted();
  workload.remove("ConfigMap", "app");
  expect(workload.plan().hingesOnPods).toBe(false);
});

test("an optional source that is gone stays noted as before an unverified roll", () => {
  const workload = adopted({ ...late });
  workload.set("ConfigMap", "late", { a: "1" });
  workload.reconcile();
  const { appliedText, template } = workload;
  workload.set("ConfigMap", "late", { a: "2" });
  workload.reconcile();
  const before = { appliedText, template, unverifiedText: workload.appliedText, isDamaged: true };
  Object.assign(workload, before);
  workload.remove("ConfigMap", "late");
  workload.reconcile();
  expect(noted(workload)).toEqual(noted(Object.assign(workload, { appliedText })));
});
