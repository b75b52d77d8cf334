import { describe, expect, test } from "vitest";
import { onDelete } from "../fixture/adopted-by-rules.ts";
import { started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

describe.each(["annotations", "env-vars"] as const)("a roll that nobody has verified (%s)", (strategy) => {
  /** Adopted at 1100 and rolled at 1300. A second roll was tried at 1500, and the content was changed back at 1600. */
  function wentBack({ hasLanded }: { readonly hasLanded: boolean }): PlannedWorkload {
    const workload = Object.assign(adopted(), { strategy });
    workload.now = 1300;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.reconcile();
    const { appliedText, template } = workload;
    workload.now = 1500;
    workload.set("ConfigMap", "app", { a: "3" });
    workload.reconcile();
    workload.unverifiedText = workload.appliedText;
    Object.assign(workload, { appliedText, isDamaged: true });
    // A webhook removed the edit from the template, but left the applied state.
    if (!hasLanded) workload.template = template;
    workload.now = 1600;
    workload.set("ConfigMap", "app", { a: "2" });
    return workload;
  }

  test("and has landed left pods with a content that is gone: they are rolled", () => {
    expect(wentBack({ hasLanded: true }).reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("and has not landed left pods with what is live again: nothing rolls", () => {
    expect(wentBack({ hasLanded: false }).reconcile()).toEqual({});
  });

  // A removed key leaves no time, so the time of our last write counts. Pods that started after the roll prove nothing.
  test("counts for a key that was removed since, whenever the pods have started", () => {
    const workload = Object.assign(adopted(), { strategy });
    const { appliedText } = workload;
    workload.now = 1490;
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    workload.now = 1500;
    workload.reconcile();
    const unverifiedText = workload.appliedText;
    Object.assign(workload, { appliedText, unverifiedText, isDamaged: true, appliedAtSeconds: 1100 });
    workload.now = 1490;
    workload.set("ConfigMap", "app", { a: "1" });
    workload.now = 1700;
    workload.edit(templateUsing({ app: {} }, "app:2"));
    Object.assign(workload, { podsStart: started(1701), ownWriteAtSeconds: 1500 });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("is not repeated where the content is still the one that it was made for", () => {
    const workload = wentBack({ hasLanded: true });
    workload.set("ConfigMap", "app", { a: "3" });
    expect(workload.reconcile()).toEqual({});
  });

  /** Some sources are rolled for once. Then `app` is deleted, `db` changes, and a roll for both is tried. */
  function deleted(rolledBefore: readonly string[], { hasLanded }: { readonly hasLanded: boolean }) {
    const workload = Object.assign(adopted({ app: {}, db: {} }), { strategy, rules: onDelete });
    for (const name of rolledBefore) workload.set("ConfigMap", name, { a: "2" });
    workload.reconcile();
    const { appliedText, template } = workload;
    workload.now = 1500;
    workload.remove("ConfigMap", "app");
    workload.set("ConfigMap", "db", { a: "3" });
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted", db: "SourceChanged" });
    workload.unverifiedText = workload.appliedText;
    Object.assign(workload, { appliedText, isDamaged: true });
    if (!hasLanded) workload.template = template;
    return workload;
  }

  test.each([[[]], [["db"]], [["app", "db"]]])(
    "for a deletion is repeated only where it has not landed (rolled before: %j)",
    (rolledBefore) => {
      expect(deleted(rolledBefore, { hasLanded: false }).reconcile()).toHaveProperty("app", "SourceDeleted");
      const workload = deleted(rolledBefore, { hasLanded: true });
      expect(workload.reconcile()).toEqual({});
      Object.assign(workload, { isDamaged: false, unverifiedText: undefined });
      expect(workload.reconcile()).toEqual({});
    },
  );
});
