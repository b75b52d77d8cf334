import fc from "fast-check";
import { expect, test } from "vitest";
import { formatAppliedState } from "../applied/applied-state.ts";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { testKeyring } from "../fixture/test-keys.ts";

// A small world, so that all cases meet: three sources, two values, two keys, optional and required uses.
const names = ["app", "db", "123"] as const;
const data = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom("1", "2"));
const uses = fc.dictionary(
  fc.constantFrom(...names),
  fc.record(
    { optional: fc.boolean(), keys: fc.uniqueArray(fc.constantFrom("a", "b"), { minLength: 1 }) },
    { requiredKeys: ["optional"] },
  ),
);

type Step = (workload: PlannedWorkload) => void;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...names), data).map(([name, content]): Step => {
    return (workload) => workload.set("ConfigMap", name, content);
  }),
  fc.constantFrom(...names).map(
    (name): Step =>
      (workload) =>
        workload.remove("ConfigMap", name),
  ),
  uses.map(
    (some): Step =>
      (workload) =>
        workload.edit(templateUsing(some)),
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      (workload) =>
        workload.hide("ConfigMap", name),
  ),
  fc.constant<Step>((workload) => workload.showAll()),
  fc.constantFrom(0, 1, 2, 100).map(
    (seconds): Step =>
      (workload) => {
        workload.now += seconds;
      },
  ),
  fc.constantFrom("k2", "k3").map(
    (key): Step =>
      (workload) => {
        workload.keys = testKeyring(key, "k1", "k2", "k3");
      },
  ),
  fc.constantFrom("annotations" as const, "env-vars" as const).map(
    (strategy): Step =>
      (workload) => {
        workload.strategy = strategy;
      },
  ),
  fc.constant<Step>((workload) => workload.reconcile()),
  fc.record({ reloadOnCreate: fc.boolean(), reloadOnDelete: fc.boolean() }).map(
    (rules): Step =>
      (workload) => {
        workload.rules = rules;
      },
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      (workload) =>
        workload.loseSight("ConfigMap", name),
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      (workload) =>
        workload.setAside("ConfigMap", name),
  ),
);

const neither = { reloadOnCreate: false, reloadOnDelete: false };

/** Any workload that any history can produce, adopted or not. */
const anyWorkload = fc.tuple(uses, fc.array(step, { maxLength: 12 })).map(([some, steps]) => {
  const workload = new PlannedWorkload(templateUsing(some));
  for (const one of steps) one(workload);
  return workload;
});

/** The same workload after a reconcile of ours, so only later steps can be changes. */
const settledWorkload = anyWorkload.map((workload) => {
  workload.showAll();
  workload.reconcile();
  return workload;
});

test("the same world gives the same plan, and planning changes nothing", () => {
  fc.assert(
    fc.property(anyWorkload, (workload) => {
      expect(workload.plan()).toEqual(workload.plan());
    }),
  );
});

test("once a plan is written, the next one writes nothing: same applied state, no roll", () => {
  fc.assert(
    fc.property(anyWorkload, fc.nat(100), (workload, seconds) => {
      workload.reconcile();
      workload.now += seconds;
      const again = workload.plan();
      expect(again.type).toBe("record");
      const appliedText =
        again.applied === undefined ? undefined : formatAppliedState(again.applied, workload.keys);
      expect(appliedText).toBe(workload.appliedText);
    }),
    { numRuns: 500 },
  );
});

test("a workload we never watched is adopted without a roll if no reloader left traces", () => {
  fc.assert(
    fc.property(anyWorkload, (workload) => {
      workload.edit(templateUsing({ app: {}, db: { optional: true }, "123": { keys: ["a"] } }));
      workload.appliedText = undefined;
      workload.now += 100;
      workload.engagedAtSeconds = workload.now;
      expect(workload.reconcile()).toEqual({});
    }),
  );
});

test("whatever the contents are between two looks, only the last one counts", () => {
  fc.assert(
    fc.property(settledWorkload, fc.array(fc.tuple(fc.constantFrom(...names), data)), (workload, edits) => {
      const before = workload.plan();
      for (const name of names) workload.set("ConfigMap", name, { a: "1" });
      workload.reconcile();
      for (const [name, content] of edits) workload.set("ConfigMap", name, content);
      for (const name of names) workload.set("ConfigMap", name, { a: "1" });
      expect(workload.reconcile()).toEqual({});
      expect(before.type).toBe("record");
    }),
  );
});

test("a source that is not referenced, or whose keys nobody reads, rolls nothing", () => {
  fc.assert(
    fc.property(anyWorkload, data, fc.constantFrom("1", "2", "3"), (workload, content, unread) => {
      workload.edit(templateUsing({ app: { keys: ["a"] } }));
      workload.set("ConfigMap", "app", content);
      workload.reconcile();
      workload.set("ConfigMap", "app", { ...content, unread });
      workload.set("ConfigMap", "db", { a: unread });
      expect(workload.reconcile()).toEqual({});
    }),
  );
});

test("a change of a read key rolls once, also while the digest key changes", () => {
  fc.assert(
    fc.property(anyWorkload, fc.boolean(), (workload, isRotated) => {
      workload.showAll();
      workload.edit(templateUsing({ app: { keys: ["a"] } }));
      workload.set("ConfigMap", "app", { a: "1" });
      workload.reconcile();
      if (isRotated) workload.keys = testKeyring("k4", "k3", "k2", "k1");
      workload.set("ConfigMap", "app", { a: "4" });
      expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
      expect(workload.reconcile()).toEqual({});
    }),
  );
});

test("a new digest key rolls nothing, whatever is there and whatever is gone", () => {
  fc.assert(
    fc.property(settledWorkload, fc.array(fc.constantFrom(...names)), (workload, gone) => {
      workload.rules = neither;
      const contents = { a: "1", b: "2" };
      for (const name of names) workload.set("ConfigMap", name, contents);
      workload.reconcile();
      for (const name of gone) workload.remove("ConfigMap", name);
      workload.keys = testKeyring("k4", "k3", "k2", "k1");
      expect(workload.reconcile()).toEqual({});
      for (const name of names) workload.set("ConfigMap", name, contents);
      expect(workload.reconcile()).toEqual({});
    }),
    { numRuns: 300 },
  );
});

test("without the flags only a late optional source rolls of all that come or go", () => {
  fc.assert(
    fc.property(settledWorkload, fc.array(step), (workload, steps) => {
      workload.rules = neither;
      workload.reconcile();
      for (const one of steps) {
        one(workload);
        workload.rules = neither;
        const { type, ...planned } = workload.plan();
        const reasons = "changed" in planned ? planned.changed.map(({ reason }) => reason) : [];
        expect(type === "roll").toBe(reasons.length > 0);
        expect(reasons).not.toContain("SourceCreated");
        expect(reasons).not.toContain("SourceDeleted");
      }
    }),
  );
});

test("with the flags a source that goes rolls once, and once more when it comes back", () => {
  const both = { reloadOnCreate: true, reloadOnDelete: true };
  fc.assert(
    fc.property(anyWorkload, fc.constantFrom(...names), fc.boolean(), (workload, name, optional) => {
      workload.rules = both;
      workload.showAll();
      workload.edit(templateUsing({ [name]: { optional } }));
      workload.set("ConfigMap", name, { a: "1" });
      workload.reconcile();
      workload.now += 2;
      workload.remove("ConfigMap", name);
      expect(workload.reconcile()).toEqual({ [name]: "SourceDeleted" });
      expect(workload.reconcile()).toEqual({});
      workload.now += 2;
      workload.set("ConfigMap", name, { a: "1" });
      expect(workload.reconcile()).toEqual({
        [name]: optional ? "LateOptionalReference" : "SourceCreated",
      });
      expect(workload.reconcile()).toEqual({});
    }),
  );
});

test("at first sight nothing rolls, whatever is there and whatever is missing", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...names), data),
      fc.record({ reloadOnCreate: fc.boolean(), reloadOnDelete: fc.boolean() }),
      (contents, rules) => {
        const workload = new PlannedWorkload(templateUsing({ app: {}, db: {}, "123": { keys: ["a"] } }));
        workload.rules = rules;
        workload.now += 100;
        workload.engagedAtSeconds = workload.now;
        for (const [name, content] of Object.entries(contents)) workload.set("ConfigMap", name, content);
        expect(workload.reconcile()).toEqual({});
      },
    ),
  );
});
