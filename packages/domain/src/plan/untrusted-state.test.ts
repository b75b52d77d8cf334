import { describe, expect, test } from "vitest";
import { onDelete } from "../fixture/adopted-by-rules.ts";
import { type DecidedOnce, started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

describe("an applied state that cannot be trusted", () => {
  /** Adopted at 1100, changed and rolled at 1300. `forget` says how much of the applied state is lost then. */
  function rolledOnce(forget: "all" | "roll"): PlannedWorkload {
    const workload = adopted();
    const before = workload.appliedText;
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    workload.appliedText = forget === "all" ? undefined : before;
    workload.isDamaged = true;
    workload.now = 1400;
    return workload;
  }
  const changed = (workload: PlannedWorkload) => {
    workload.set("ConfigMap", "app", { a: "3" });
    return workload;
  };

  test.each<DecidedOnce>([
    {
      sentence: "rolls nothing where the template carries the mark of what is live",
      workload: () => rolledOnce("all"),
      reasons: {},
    },
    {
      sentence: "rolls nothing where the template carries that mark and an older note is remembered",
      workload: () => rolledOnce("roll"),
      reasons: {},
    },
    {
      sentence: "rolls where the mark is that of another content",
      workload: () => changed(rolledOnce("roll")),
      reasons: { app: "SourceChanged" },
    },
    {
      sentence: "rolls where the mark is gone with it, as what is remembered says",
      workload: () => {
        const workload = rolledOnce("roll");
        workload.template = templateUsing({ app: {} });
        return workload;
      },
      reasons: { app: "SourceChanged" },
    },
    {
      sentence: "rolls nothing where the mark is gone with it and the pods have started since",
      workload: () => {
        const workload = rolledOnce("roll");
        workload.edit(templateUsing({ app: {} }));
        return Object.assign(workload, { podsStart: started(1401) });
      },
      reasons: {},
    },
  ])("$sentence", (one) => {
    const workload = one.workload();
    expect(workload.reconcile()).toEqual(one.reasons);
    workload.isDamaged = false;
    workload.now += 100;
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing for any of several sources that the mark is of", () => {
    const workload = adopted({ app: {}, db: {} });
    const before = workload.appliedText;
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("ConfigMap", "db", { a: "2" });
    workload.reconcile();
    workload.appliedText = before;
    workload.isDamaged = true;
    expect(workload.reconcile()).toEqual({});
  });

  // After a rollback a template has an old mark, but its pods read what was there at their start.
  test("is the only one that the mark speaks for", () => {
    const workload = rolledOnce("roll");
    workload.isDamaged = false;
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  // Restoring an earlier manifest removes the applied state and makes new pods.
  test("does not roll for a source that appeared where the pods have started since", () => {
    const made = () => {
      const workload = adopted({ app: { optional: true } });
      workload.now = 1300;
      workload.set("ConfigMap", "app", { a: "1" });
      return Object.assign(workload, { isDamaged: true });
    };
    expect(Object.assign(made(), { podsStart: started(1301) }).reconcile()).toEqual({});
    expect(Object.assign(made(), { podsStart: started(1299) }).reconcile()).toEqual({
      app: "LateOptionalReference",
    });
  });

  test("does not roll again for a source that appeared and has been rolled for", () => {
    const workload = adopted({ app: { optional: true } });
    const before = workload.appliedText;
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({ app: "LateOptionalReference" });
    Object.assign(workload, { appliedText: before, isDamaged: true, podsStart: started(1290) });
    expect(workload.reconcile()).toEqual({});
  });

  test("does not roll again for a key that is read only now and has been rolled for", () => {
    const workload = adopted({ app: { keys: ["a"] } });
    const before = workload.appliedText;
    workload.now = 1300;
    workload.edit(templateUsing({ app: { keys: ["a", "b"] } }));
    workload.now = 1301;
    workload.set("ConfigMap", "app", { a: "1", b: "2" });
    expect(workload.reconcile()).toEqual({ app: "ChangedAfterStart" });
    Object.assign(workload, { appliedText: before, isDamaged: true });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls where the content is again what it was when a variable was taken away", () => {
    const workload = Object.assign(adopted({ app: {}, db: {} }), { strategy: "env-vars", rules: onDelete });
    workload.set("ConfigMap", "app", { a: "2" });
    workload.reconcile();
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
    workload.set("ConfigMap", "db", { a: "2" });
    expect(workload.reconcile()).toEqual({ db: "SourceChanged" });
    workload.isDamaged = true;
    workload.set("ConfigMap", "db", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({ db: "SourceChanged" });
  });

  // The fake API server has no write of ours, so the time in Redis counts.
  test("lets pods tell only of writes since it was written, which Redis knows", () => {
    const restarted = (appliedAtSeconds: number) => {
      const workload = rolledOnce("roll");
      workload.edit(templateUsing({ app: {} }));
      return Object.assign(workload, { podsStart: started(1401), appliedAtSeconds }).reconcile();
    };
    expect(restarted(1300)).toEqual({});
    expect(restarted(1301)).toEqual({ app: "SourceChanged" });
  });
});
