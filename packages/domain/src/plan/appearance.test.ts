import { describe, expect, test } from "vitest";
import { adoptedBy, onBoth, onCreate, onDelete } from "../fixture/adopted-by-rules.ts";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

const neither = { reloadOnCreate: false, reloadOnDelete: false };

describe("a source that appears", () => {
  test.each([
    ["with the flag, though the pods need it", onBoth, { app: "SourceCreated" }],
    ["not without it", onDelete, {}],
  ] as const)("rolls %s", (_, rules, expected) => {
    const workload = adoptedBy(rules);
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual(expected);
    workload.now += 100;
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls although it is only named", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = onCreate;
    workload.name("Secret", "key");
    workload.reconcile();
    workload.now += 100;
    workload.set("Secret", "key", { a: "1" });
    expect(workload.reconcile()).toEqual({ key: "SourceCreated" });
  });

  test("is a late optional reference where it is one, with or without the flag", () => {
    for (const rules of [onCreate, neither]) {
      const workload = new PlannedWorkload(templateUsing({ app: { optional: true } }));
      workload.rules = rules;
      workload.reconcile();
      workload.now += 100;
      workload.set("ConfigMap", "app", { a: "1" });
      expect(workload.reconcile()).toEqual({ app: "LateOptionalReference" });
    }
  });

  test("rolls nothing when it was applied with the workload, which was seen first", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.rules = onCreate;
    workload.reconcile();
    workload.now += 1;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  /**
   * A workload whose source is named or optional, so its pods start without it. The source was made this long after the template; the pods
   * started at `startedAt`.
   */
  function madeAfter(seconds: number, startedAt: number | undefined, isNoted: boolean, rules = onCreate) {
    const workload = new PlannedWorkload(templateUsing({ maybe: { optional: true } }));
    workload.rules = rules;
    // Its first event is that of its creation.
    workload.seen = { atSeconds: workload.now };
    workload.name("ConfigMap", "named");
    if (isNoted) workload.reconcile();
    // As in `podsStart`: the clock of a node may be two seconds off.
    if (startedAt !== undefined) {
      const at = workload.now + startedAt;
      workload.podsStart = { notBefore: Math.max(workload.now, at - 2), notAfter: at + 2 };
    }
    workload.now += seconds;
    for (const name of ["named", "maybe"]) workload.set("ConfigMap", name, { a: "1" });
    return workload.reconcile();
  }

  test.each([
    ["noted as missing", true],
    ["not looked at before", false],
  ])("rolls a second after its template when pods run already, %s", (_, isNoted) => {
    const both = { named: "SourceCreated", maybe: "SourceCreated" };
    expect(madeAfter(1, 0, isNoted)).toEqual(both);
    expect(madeAfter(1, 1, isNoted)).toEqual(both);
  });

  test("rolls two seconds after its template when pods run already, not looked at before", () => {
    expect(madeAfter(2, 1, false)).toMatchObject({ named: "SourceCreated" });
  });

  test.each([
    ["when the pods start later", madeAfter(1, 2, true)],
    ["when nobody knows whether pods run", madeAfter(1, undefined, true)],
    ["in the second of its template", madeAfter(0, 0, true)],
    ["without the flag", madeAfter(1, 0, true, onDelete)],
  ])("rolls nothing that soon %s", (_, rolled) => {
    expect(rolled).toEqual({});
  });

  test("rolls nothing when the template was made anew after it", () => {
    const workload = adoptedBy(onCreate);
    workload.set("ConfigMap", "app", { a: "1" });
    workload.now += 10;
    workload.edit(templateUsing({ app: {} }, "app:2"));
    expect(workload.reconcile()).toEqual({});
  });

  // A roll of ours reads every source first, so a source that appears in the same second is late.
  test("rolls also in the very second of a roll for another source", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {}, db: {} }));
    workload.rules = onCreate;
    workload.set("ConfigMap", "db", { a: "1" });
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "db", { a: "2" });
    expect(workload.reconcile()).toEqual({ db: "SourceChanged" });
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceCreated" });
  });

  test("rolls when a name pattern was looked up before and it matches", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = onCreate;
    workload.nameAll("ConfigMap", "tenant-");
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.now += 100;
    workload.set("ConfigMap", "tenant-2", { a: "1" });
    expect(workload.reconcile()).toEqual({ "tenant-2": "SourceCreated" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing when the pattern is new, however late the source was made", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.rules = onCreate;
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    workload.nameAll("ConfigMap", "tenant-");
    expect(workload.reconcile()).toEqual({});
  });
});
