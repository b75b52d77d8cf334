import { describe, expect, test } from "vitest";
import { adoptedBy, onBoth, onDelete } from "../fixture/adopted-by-rules.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

const digestOf = ({ appliedText }: PlannedWorkload, name: string): unknown =>
  JSON.parse(appliedText ?? "{}").sources[`ConfigMap/${name}`];

/** One of its two ConfigMaps is set aside. */
function aside(): PlannedWorkload {
  const workload = adopted({ app: {}, more: {} });
  workload.setAside("ConfigMap", "app");
  return workload;
}

describe("a source that is set aside", () => {
  test("rolls nothing when it counts again with the same content", () => {
    const workload = adopted();
    const { appliedText } = workload;
    workload.setAside("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBe(appliedText);
    workload.now += 100;
    workload.showAll();
    // A change of an annotation writes the whole object.
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing for a change, and rolls when it counts again", () => {
    const workload = aside();
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({});
    workload.showAll();
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("rolls nothing for a change that a roll for another source brought to the pods", () => {
    const workload = aside();
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("ConfigMap", "more", { a: "2" });
    const planned = workload.plan();
    expect(planned.type === "roll" && planned.present.map(({ source }) => source.name)).toEqual(["more"]);
    expect(workload.reconcile()).toEqual({ more: "SourceChanged" });
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing for a change that pods of an edited template started with", () => {
    const workload = aside();
    workload.set("ConfigMap", "app", { a: "2" });
    workload.now += 100;
    workload.edit(templateUsing({ app: {}, more: {} }, "app:2"));
    expect(workload.plan().hingesOnPods).toBe(true);
    workload.podsStart = { notBefore: workload.now, notAfter: workload.now };
    expect(workload.reconcile()).toEqual({});
    workload.podsStart = undefined;
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
  });

  test("is not recorded where it was not", () => {
    const workload = adopted();
    workload.name("ConfigMap", "late");
    workload.set("ConfigMap", "late", { a: "1" });
    workload.setAside("ConfigMap", "late");
    const { appliedText } = workload;
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBe(appliedText);
  });

  test("and is made meanwhile is not made when it counts again: its pods waited for it", () => {
    const workload = adoptedBy(onBoth);
    workload.setAside("ConfigMap", "app");
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing when it is deleted, and is compared when it is back", () => {
    const workload = adoptedBy(onDelete, { a: "1" });
    workload.setAside("ConfigMap", "app");
    workload.reconcile();
    workload.remove("ConfigMap", "app");
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
  });

  test("is not told by the mark, which is made of the others", () => {
    const workload = aside();
    const recorded = digestOf(workload, "app");
    workload.set("ConfigMap", "more", { a: "2" });
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "app", { a: "3" });
    workload.isDamaged = true;
    expect(workload.reconcile()).toEqual({});
    expect(digestOf(workload, "app")).toBe(recorded);
    workload.isDamaged = false;
    workload.showAll();
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("is forgotten while a roll is not verified that may have brought another content", () => {
    const workload = aside();
    const before = workload.appliedText;
    workload.showAll();
    workload.set("ConfigMap", "app", { a: "2" });
    workload.reconcile();
    workload.unverifiedText = workload.appliedText;
    workload.appliedText = before;
    workload.setAside("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    expect(digestOf(workload, "app")).toBeUndefined();
  });
});
