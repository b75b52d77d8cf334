import { describe, expect, test } from "vitest";
import type { PodsStart } from "../evidence/pods-start.ts";
import { started } from "../fixture/decided-once.ts";
import { adopted, PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

describe("an optional source", () => {
  const late = { late: { optional: true } };

  test("that appears after it was recorded as missing rolls, once (T14)", () => {
    const workload = adopted(late);
    workload.set("ConfigMap", "late", { a: "1" });
    // No pods are listed, however many workloads use the source.
    expect(workload.plan().hingesOnPods).toBe(false);
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
    expect(workload.reconcile()).toEqual({});
  });

  test.each([0, 1])("that is made %d s after the template was applied together with it (T7)", (after) => {
    const workload = new PlannedWorkload(templateUsing(late));
    workload.reconcile();
    workload.now += after;
    workload.set("ConfigMap", "late", { a: "1" });
    workload.now += 100;
    expect(workload.reconcile()).toEqual({});
  });

  test("that is made 2 s after the template is late", () => {
    const workload = new PlannedWorkload(templateUsing(late));
    workload.reconcile();
    workload.now += 2;
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  test("that is made together with a new template was read by its pods", () => {
    const workload = adopted(late);
    workload.edit(templateUsing(late, "app:2"));
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("that another use needs is not optional: its pods waited for it", () => {
    const template = templateUsing(late);
    const [main] = template.spec.containers;
    const workload = new PlannedWorkload({
      ...template,
      spec: { containers: [main, { ...main, name: "side", envFrom: [{ configMapRef: { name: "late" } }] }] },
    });
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("that is needed rolls nothing when it appears: the pods were waiting for it", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("that appears after a roll of ours is late, in whatever second", () => {
    const workload = adopted({ app: {}, ...late });
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
    expect(workload.reconcile()).toEqual({});
  });

  // The source existed when the pods were made, and is opted in to only now. It has not appeared (I2).
  test("that was there before a roll of ours and is opted in to afterwards is adopted", () => {
    const workload = adopted({ app: {}, other: { optional: true }, ...late });
    workload.hide("ConfigMap", "late");
    workload.set("ConfigMap", "late", { a: "1" });
    workload.now += 100;
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    workload.now += 100;
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toContain('"ConfigMap/late":"');
  });

  // Its pods may have been replaced since, for example by the drain of a node.
  test("that is opted in to only after it was made rolls unless all pods started later", () => {
    const optedIn = (podsStart: PodsStart | undefined) => {
      const workload = new PlannedWorkload(templateUsing({ db: {}, ...late }));
      workload.set("ConfigMap", "db", { a: "1" });
      workload.hide("ConfigMap", "late");
      workload.reconcile();
      workload.now = 2000;
      workload.set("ConfigMap", "late", { a: "1" });
      workload.showAll();
      return Object.assign(workload, { podsStart }).reconcile();
    };
    expect(optedIn(started(2001))).toEqual({});
    for (const podsStart of [started(2000), { notBefore: 1999, notAfter: 2001 }, undefined])
      expect(optedIn(podsStart)).toEqual({ late: "LateOptionalReference" });
  });

  test("that is deleted and made again rolls only when it differs", () => {
    const workload = adopted({ late: { optional: true } });
    workload.set("ConfigMap", "late", { a: "1" });
    workload.reconcile();
    workload.now += 100;
    workload.remove("ConfigMap", "late");
    expect(workload.reconcile()).toEqual({});
    workload.now += 100;
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.remove("ConfigMap", "late");
    workload.reconcile();
    workload.set("ConfigMap", "late", { a: "2" });
    expect(workload.reconcile()).toEqual({ late: "SourceChanged" });
  });

  // The pods of the new template started without it, whatever it contained before.
  test("that is missing while the template changes is late, even with its old content", () => {
    const workload = adopted(late);
    workload.set("ConfigMap", "late", { a: "1" });
    workload.reconcile();
    workload.now += 100;
    workload.remove("ConfigMap", "late");
    workload.reconcile();
    workload.edit(templateUsing(late, "app:2"));
    expect(workload.reconcile()).toEqual({});
    workload.now += 100;
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  describe("at first sight of the workload", () => {
    function firstSight(engagedAt: number, templateAt: number, sourceAt: number): PlannedWorkload {
      const workload = new PlannedWorkload(templateUsing(late));
      workload.engagedAtSeconds = engagedAt;
      workload.now = templateAt;
      workload.edit(workload.template);
      workload.now = sourceAt;
      workload.set("ConfigMap", "late", { a: "1" });
      return workload;
    }

    test("is late when it was made after the template while we were watching", () => {
      expect(firstSight(500, 600, 700).reconcile()).toEqual({ late: "LateOptionalReference" });
    });

    // Its pods may have been replaced since. If that is not known it rolls, as for any content written since we came.
    test.each<[when: string, podsStart: PodsStart | undefined, reasons: object]>([
      ["started in its second", started(700), { late: "LateOptionalReference" }],
      ["started later", started(701), {}],
      ["are not listed", undefined, { late: "LateOptionalReference" }],
    ])("made since we came is late for older templates, by their pods: they %s", (_, podsStart, reasons) => {
      const workload = firstSight(650, 600, 700);
      expect(workload.plan().hingesOnPods).toBe(true);
      expect(Object.assign(workload, { podsStart }).reconcile()).toEqual(reasons);
    });

    test("is adopted when both it and the template are older than us", () => {
      expect(firstSight(700, 600, 700).reconcile()).toEqual({});
    });

    test("is adopted when it was there before the template", () => {
      expect(firstSight(500, 600, 550).reconcile()).toEqual({});
    });
  });
});
