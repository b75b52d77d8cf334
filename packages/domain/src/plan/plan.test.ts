import { describe, expect, test } from "vitest";
import { adopted, PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { testKeyring } from "../fixture/test-keys.ts";

describe("a workload that is seen for the first time", () => {
  test("is recorded and not rolled", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toContain('"ConfigMap/app"');
  });

  test("that has opted in to nothing gets no applied state", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    expect(workload.plan()).toEqual({ type: "record", applied: undefined, hingesOnPods: false });
  });

  test("records what is missing", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.reconcile();
    expect(workload.appliedText).toContain('"ConfigMap/app":"-"');
  });

  // Damaged by hand or by a tool: the content that the pods run with has to be determined again (decision 5).
  test.each(["", "{", '{"v":9}', '{"v":1,"key":"k1","sources":{"ConfigMap/app":7}}'])(
    "because its applied state reads %j is judged by when its source was written",
    (appliedText) => {
      const unchanged = adopted();
      unchanged.appliedText = appliedText;
      expect(unchanged.reconcile()).toEqual({});
      const changed = adopted();
      changed.appliedText = appliedText;
      changed.now += 10;
      changed.set("ConfigMap", "app", { a: "2" });
      expect(changed.reconcile()).toEqual({ app: "ChangedAfterStart" });
      expect(changed.reconcile()).toEqual({});
    },
  );
});

describe("a workload that is recorded", () => {
  test("rolls once for each content that differs from its applied state", () => {
    const workload = adopted();
    workload.set("ConfigMap", "app", { a: "2", b: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls once for all sources that changed together", () => {
    const workload = adopted({ app: {}, tls: { kind: "Secret" } });
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("Secret", "tls", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged", tls: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });

  test("does not roll when a content came back before anybody looked (T1)", () => {
    const workload = adopted();
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls when a content comes back after a roll for another content", () => {
    const workload = adopted();
    workload.set("ConfigMap", "app", { a: "2" });
    workload.reconcile();
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("does not roll for a deleted source, nor when it comes back as it was (T2)", () => {
    const workload = adopted();
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    workload.now += 100;
    workload.set("ConfigMap", "app", { b: "1", a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls once when a deleted source comes back with another content (T3)", () => {
    const workload = adopted();
    workload.remove("ConfigMap", "app");
    workload.reconcile();
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls for a source that it names and does not reference", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.name("Secret", "123");
    workload.set("Secret", "123", { a: "1" });
    workload.reconcile();
    workload.set("Secret", "123", { a: "2" });
    expect(workload.reconcile()).toEqual({ "123": "SourceChanged" });
  });

  test("adopts a source it opts in to later on as it is", () => {
    const workload = adopted();
    workload.name("ConfigMap", "more");
    workload.set("ConfigMap", "more", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "more", { a: "2" });
    expect(workload.reconcile()).toEqual({ more: "SourceChanged" });
  });

  test("loses its applied state when it opts out of everything", () => {
    const workload = adopted();
    workload.hide("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBeUndefined();
  });

  // A careless separator would make these two ConfigMaps equal.
  test("tells contents apart that only differ in where a separator stands (T12)", () => {
    const workload = adopted();
    workload.set("ConfigMap", "app", { a: "1;b=2" });
    workload.reconcile();
    workload.set("ConfigMap", "app", { a: "1", b: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("carries one mark for all its sources, also for those that did not change", () => {
    const workload = adopted({ app: {}, db: {} });
    workload.set("ConfigMap", "app", { a: "2" });
    const first = workload.plan();
    expect(first.type === "roll" && first.present.map(({ source }) => source.name)).toEqual(["app", "db"]);
    workload.set("ConfigMap", "db", { a: "2" });
    const second = workload.plan();
    expect(first.type === "roll" && second.type === "roll" && second.mark !== first.mark).toBe(true);
  });
});

describe("only the keys that the pods read matter", () => {
  test("so that another key of the source rolls nothing (T6)", () => {
    const workload = adopted({ app: { keys: ["a"] } });
    workload.set("ConfigMap", "app", { a: "1", b: "2", c: "3" });
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "2", b: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("and one that is not there is not the same as an empty one", () => {
    const workload = adopted({ app: { keys: ["a", "z"] } });
    workload.set("ConfigMap", "app", { a: "1", z: "" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  // The edit of the template has replaced the pods, so they have the new key's value.
  test("and a template that reads more keys rolls nothing by itself", () => {
    const workload = adopted({ app: { keys: ["a"] } });
    workload.set("ConfigMap", "app", { a: "1", b: "2" });
    workload.edit(templateUsing({ app: { keys: ["a", "b"] } }));
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "1", b: "3" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("and a template that reads fewer keys rolls nothing by itself", () => {
    const workload = adopted();
    workload.edit(templateUsing({ app: { keys: ["a"] } }));
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "1", b: "2" });
    expect(workload.reconcile()).toEqual({});
  });

  test("and a changed key that was read before rolls though other keys are read now", () => {
    const workload = adopted({ app: { keys: ["a"] } });
    workload.edit(templateUsing({ app: { keys: ["a", "b"] } }));
    workload.set("ConfigMap", "app", { a: "2", b: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });
});

describe("a new digest key", () => {
  function rotated(): PlannedWorkload {
    const workload = adopted({ app: {}, db: {}, late: { optional: true } });
    workload.keys = testKeyring("k2", "k1");
    return workload;
  }

  test("rolls nothing, and the applied state is made with it (T9)", () => {
    const workload = rotated();
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toContain('"key":"k2"');
    expect(workload.reconcile()).toEqual({});
  });

  // While the key lines are swapped (docs/fleet.md), a worker that has not restarted may take the next request.
  test("is read by those that hold it as their second", () => {
    const workload = rotated();
    workload.reconcile();
    workload.keys = testKeyring("k1", "k2");
    expect(workload.reconcile()).toEqual({});
    workload.keys = testKeyring("k2", "k1");
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    workload.keys = testKeyring("k1", "k2");
    expect(workload.reconcile()).toEqual({});
  });

  test("hides no change that happened meanwhile", () => {
    const workload = rotated();
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });

  test("keeps the template known, so that a late source still is late", () => {
    const workload = rotated();
    workload.set("ConfigMap", "late", { a: "1" });
    expect(workload.reconcile()).toEqual({ late: "LateOptionalReference" });
  });

  // A deleted source cannot be digested again, so its old digest stays, with the id of its key.
  test("rolls nothing for a source that was gone meanwhile and is back as it was", () => {
    const workload = rotated();
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).not.toContain("k1");
  });

  test("rolls once for a source that was gone meanwhile and is back otherwise", () => {
    const workload = rotated();
    workload.remove("ConfigMap", "app");
    workload.reconcile();
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
    expect(workload.reconcile()).toEqual({});
  });

  test("in the place of one that is lost leaves the times to judge by", () => {
    const unchanged = adopted();
    unchanged.keys = testKeyring("k2");
    expect(unchanged.reconcile()).toEqual({});
    const changed = adopted();
    changed.keys = testKeyring("k2");
    changed.now += 10;
    changed.set("ConfigMap", "app", { a: "2" });
    expect(changed.reconcile()).toEqual({ app: "ChangedAfterStart" });
    expect(changed.reconcile()).toEqual({});
  });
});
