import { describe, expect, test } from "vitest";
import { parseAppliedState } from "../applied/applied-state.ts";
import { started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

const second = templateUsing({ app: {} }, "app:2");

/** Its pods started at 1001 and read a=1. Its ConfigMap was changed at 1300, and the workload was rolled at 1302. */
function rolled(): PlannedWorkload {
  const workload = adopted();
  workload.now = 1300;
  workload.set("ConfigMap", "app", { a: "2" });
  reconcileAt(workload, 1302);
  return workload;
}

/** At 1300 its ConfigMap was changed. At 1301 a new image was applied, and its pods wait for the image. */
function appliedTogether(image = second): PlannedWorkload {
  const workload = adopted();
  workload.now = 1300;
  workload.set("ConfigMap", "app", { a: "2" });
  workload.now = 1301;
  workload.edit(image);
  Object.assign(workload, { isRolledOut: false, podsStart: started(Number.POSITIVE_INFINITY) });
  expect(reconcileAt(workload, 1303)).toEqual({});
  return workload;
}

function reconcileAt(workload: PlannedWorkload, now: number): Readonly<Record<string, string>> {
  workload.now = now;
  const before = workload.appliedText;
  const reasons = workload.reconcile();
  if (workload.appliedText !== before) workload.ownWriteAtSeconds = now;
  return reasons;
}

/** The earlier template is back, and its pods have run all the time. */
function returns(workload: PlannedWorkload, template: unknown): void {
  workload.now += 100;
  workload.edit(template);
  Object.assign(workload, { isRolledOut: true, podsStart: started(1001) });
}

const first = templateUsing({ app: {} });

describe("a workload whose template returns while its pods still run is rolled", () => {
  test("where the content came together with the template in between", () => {
    const workload = appliedTogether();
    returns(workload, first);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
  });

  test("where the roll for the content is undone before its pods are there", () => {
    const before = adopted().template;
    const workload = rolled();
    returns(workload, before);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
    // The next roll is undone as well.
    returns(workload, before);
    expect(reconcileAt(workload, 1700)).toEqual({ app: "ChangedAfterStart" });
  });

  test("where the content was changed twice in between", () => {
    const workload = appliedTogether();
    workload.now = 1400;
    workload.set("ConfigMap", "app", { a: "3" });
    expect(reconcileAt(workload, 1402)).toEqual({ app: "SourceChanged" });
    returns(workload, first);
    expect(reconcileAt(workload, 1600)).toEqual({ app: "ChangedAfterStart" });
  });

  test("where a pod started in the second of the change: nobody knows which was first", () => {
    const workload = appliedTogether();
    returns(workload, first);
    workload.podsStart = started(1300);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
  });

  test("where a late optional source was the change", () => {
    const optional = templateUsing({ app: { optional: true } });
    const workload = adopted({ app: { optional: true } });
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(reconcileAt(workload, 1302)).toEqual({ app: "LateOptionalReference" });
    returns(workload, optional);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
  });

  test("only once", () => {
    const workload = rolled();
    returns(workload, first);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
    workload.podsStart = started(1501);
    expect(reconcileAt(workload, 1600)).toEqual({});
    expect(reconcileAt(workload, 1700)).toEqual({});
  });
});

/** Rolled for a=1, then for a bad a=2 whose rollout hangs, then back. With variables this gives the earlier template, and so the earlier pods. */
function rolledBack(podStart: number): PlannedWorkload {
  const workload = adopted();
  workload.strategy = "env-vars";
  const roll = (at: number, a: string) => {
    workload.now = at - 2;
    workload.set("ConfigMap", "app", { a });
    expect(reconcileAt(workload, at)).toEqual({ app: "SourceChanged" });
    return workload.template;
  };
  const before = roll(1250, "good");
  roll(1302, "bad");
  workload.isRolledOut = false;
  expect(roll(1402, "good")).toEqual(before);
  expect(reconcileAt(workload, 1404)).toEqual({});
  Object.assign(workload, { isRolledOut: true, podsStart: started(podStart) });
  return workload;
}

describe("a workload whose own roll brought its template back is", () => {
  test("rolled for a pod that was made anew in between, and only once", () => {
    const workload = rolledBack(1350);
    expect(reconcileAt(workload, 1500)).toEqual({ app: "ChangedAfterStart" });
    workload.podsStart = started(1501);
    expect(reconcileAt(workload, 1600)).toEqual({});
    expect(workload.plan().hingesOnPods).toBe(false);
  });

  test.each([
    ["before", 1270],
    ["after", 1420],
  ])("not rolled for pods that started %s", (_, podStart) => {
    const workload = rolledBack(podStart);
    expect(reconcileAt(workload, 1500)).toEqual({});
    expect(earlierOf(workload)).toBeUndefined();
  });

  test("looked at after a content changed twice in one rollout, else not", () => {
    const workload = adopted();
    const again = (at: number, a: string) => {
      workload.now = at - 2;
      workload.set("ConfigMap", "app", { a });
      reconcileAt(workload, at);
      return parseAppliedState(workload.appliedText, workload.keys)?.template?.isDuringRollout;
    };
    const whenOver = [again(1302, "2"), again(1402, "3")];
    workload.isRolledOut = false;
    expect([...whenOver, again(1502, "4")]).toEqual([undefined, undefined, true]);
  });
});

describe("a workload whose template returns is not rolled", () => {
  test.each([
    ["the change", 1300],
    // We own our mark in it, and the API server knows one time of that and of our note.
    ["the change, and that is noted later", 1303],
  ])("for a pod of the template in between that started in the second of %s", (_, templateAt) => {
    const workload = adopted();
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.edit(second);
    Object.assign(workload, { isRolledOut: false, podsStart: started(Number.POSITIVE_INFINITY) });
    expect(reconcileAt(workload, 1303)).toEqual({});
    workload.templateChangedAtSeconds = templateAt;
    Object.assign(workload, { isRolledOut: true, podsStart: started(1300) });
    expect(reconcileAt(workload, 1500)).toEqual({});
  });

  test("for a pod of our roll for it, when others write again in the next second", () => {
    const workload = adopted();
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    expect(reconcileAt(workload, 1300)).toEqual({ app: "SourceChanged" });
    workload.podsStart = started(1300);
    workload.now = 1301;
    // An annotation, by whom the template was applied: the API server knows one time of both.
    workload.edit(workload.template);
    expect(reconcileAt(workload, 1500)).toEqual({});
  });

  test("when its pods were made anew for it", () => {
    const workload = rolled();
    returns(workload, first);
    workload.podsStart = started(1450);
    expect(reconcileAt(workload, 1500)).toEqual({});
    expect(earlierOf(workload)).toBeUndefined();
  });

  test("while pods of several templates run, of which some will go", () => {
    const workload = rolled();
    returns(workload, first);
    workload.isRolledOut = false;
    expect(reconcileAt(workload, 1500)).toEqual({});
    workload.isRolledOut = true;
    expect(reconcileAt(workload, 1502)).toEqual({ app: "ChangedAfterStart" });
  });

  test("when the content has returned, too", () => {
    const workload = rolled();
    workload.isRolledOut = false;
    workload.now = 1310;
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(reconcileAt(workload, 1312)).toEqual({ app: "SourceChanged" });
    returns(workload, first);
    expect(reconcileAt(workload, 1500)).toEqual({});
  });

  test("when it was undone for the fourth time: who does that is obeyed", () => {
    const before = adopted().template;
    const workload = rolled();
    for (const at of [1500, 1700, 1900]) {
      returns(workload, before);
      expect(reconcileAt(workload, at)).toEqual({ app: "ChangedAfterStart" });
    }
    returns(workload, before);
    expect(reconcileAt(workload, 2100)).toEqual({});
    workload.now = 2200;
    workload.set("ConfigMap", "app", { a: "3" });
    expect(reconcileAt(workload, 2202)).toEqual({ app: "SourceChanged" });
    returns(workload, before);
    expect(reconcileAt(workload, 2400)).toEqual({ app: "ChangedAfterStart" });
  });

  test("when nobody may list its pods", () => {
    const workload = rolled();
    returns(workload, first);
    workload.podsStart = undefined;
    expect(workload.plan()).toMatchObject({ type: "record", hingesOnPods: true });
  });
});

describe("what pods ran with before counts for no template but one that returned", () => {
  test("not for a new image", () => {
    const workload = rolled();
    workload.now = 1400;
    workload.edit(second);
    // The controller has not made any of its pods yet.
    Object.assign(workload, { isRolledOut: false, podsStart: started(1001) });
    expect(reconcileAt(workload, 1400)).toEqual({});
    Object.assign(workload, { isRolledOut: true, podsStart: started(1402) });
    expect(reconcileAt(workload, 1500)).toEqual({});
  });

  test("not after a source that is opted in to since", () => {
    const workload = rolled();
    Object.assign(workload, { podsStart: started(1303) });
    workload.set("ConfigMap", "more", { a: "1" });
    workload.name("ConfigMap", "more");
    expect(reconcileAt(workload, 1500)).toEqual({});
  });

  test("not for a content that was written again as it was", () => {
    const workload = adopted();
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(reconcileAt(workload, 1302)).toEqual({});
    workload.now = 1400;
    workload.edit(second);
    returns(workload, first);
    expect(reconcileAt(workload, 1600)).toEqual({});
  });
});

function earlierOf(workload: PlannedWorkload) {
  const source = parseAppliedState(workload.appliedText, workload.keys)?.sources.get("ConfigMap/app");
  return source?.type === "present" ? source.earlier : undefined;
}

describe("earlier contents are kept", () => {
  test("of the last change only, where its rollout came to an end", () => {
    const workload = rolled();
    workload.now = 1400;
    workload.set("ConfigMap", "app", { a: "3" });
    reconcileAt(workload, 1402);
    expect(earlierOf(workload)).toMatchObject([{ untilSeconds: 1400 }]);
  });

  test("of three changes at most while a rollout hangs", () => {
    const workload = rolled();
    workload.isRolledOut = false;
    for (const at of [1400, 1500, 1600]) {
      workload.now = at;
      workload.set("ConfigMap", "app", { a: String(at) });
      reconcileAt(workload, at + 2);
    }
    expect(earlierOf(workload)?.map(({ untilSeconds }) => untilSeconds)).toEqual([1600, 1500, 1400]);
  });

  test("in the applied state as they are", () => {
    const { keys, appliedText } = rolled();
    expect(parseAppliedState(appliedText, keys)?.sources.get("ConfigMap/app")).toMatchObject({
      earlier: [{ digest: expect.any(String), keyId: "k1", keys: "all", untilSeconds: 1300 }],
    });
  });
});
